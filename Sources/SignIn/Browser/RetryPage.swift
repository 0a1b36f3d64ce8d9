import Access
import AppleButton
import BrowserSessions
import HTTPTypes
import Hummingbird
import Pages
import Sessions
import Tenancy
import Web

/// The page after a sign-in at Apple that did not succeed: the problem, Apple's button for a new sign-in, and the way back to the
/// application, which receives the error.
///
/// Only a user of a tenant or application with `sign_in_page` `always` sees it. Otherwise, the application receives the error at once.
struct RetryPage {
    enum Cause {
        case canceled
        /// Apple did not respond, or too many sign-ins wait for it.
        case noResponse
        /// Apple refuses the tenant's settings. The log and `checkConnection` have the reason. The user cannot do anything.
        case settings
        case unusableResponse
    }

    let cause: Cause
    /// Apple's address for the new sign-in. Nil if it would end in the same way.
    let retryURL: String?
    /// The application's redirect URI with the error, or its login URL.
    let backURL: String?

    func response(in frame: PageFrame) -> Response {
        let language = frame.language
        let (title, detail) = cause.texts
        var content: [String: Any] = [
            "title": language.text(title), "detail": language.text(detail),
            "reference": frame.reference,
        ]
        if let retryURL { content["retry"] = ButtonImage(.signIn, in: language).content(leadingTo: retryURL) }
        if let backURL {
            (content["isReturnable"], content["backURL"]) = (true, backURL)
            content["back"] = language.text(.backToTheApplication)
        }
        return frame.response(Self.template, content, cause.status)
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{title}}</h1>
        <p>{{detail}}</p>
        {{#retry}}
        \(ButtonImage.link)
        {{/retry}}
        {{#isReturnable}}
        <p><a href="{{backURL}}">{{back}}</a></p>
        {{/isReturnable}}
        <p><small>{{#reference}}{{>text}}{{/reference}}</small></p>
        """)
}

extension RetryPage.Cause {
    fileprivate var texts: (title: Text, detail: Text) {
        switch self {
        case .canceled: (.signInWasCanceled, .youAreNotSignedIn)
        case .noResponse: (.appleDoesNotRespond, .appleDidNotRespondInTime)
        case .settings: (.signInDoesNotWork, .appleRefusesTheSettings)
        case .unusableResponse: (.signInDidNotFinish, .responseCannotBeUsed)
        }
    }

    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .canceled, .unusableResponse: .badRequest
        case .noResponse, .settings: .serviceUnavailable
        }
    }
}

extension SignInRoutes {
    /// The page after a refusal, with a new login attempt for its button. Nil if the application receives the error.
    func retryPage(
        after refusal: CallbackRefusal, of attempt: LoginAttempt, _ application: Application, _ tenant: TenantConfiguration,
        _ request: Request, _ context: WebContext
    ) -> Response? {
        guard let cause = refusal.cause, attempt.delivery.isCode,
            (application.signInPage ?? tenant.tenant.settings.signInPage) == .always
        else { return nil }
        let address = attempt.returnAddress(issuer: endpoints.issuer(tenant.tenant))
        let error = RedirectedError(refusal.code, refusal.description, to: address)
        let language = context.record.current.language.flatMap { Language(rawValue: $0) }
        var started: (location: String, cookies: [String])?
        if cause != .settings, let connection = tenant.connection, !tenant.refusesLogins(at: endpoints.now()) {
            started = start(of: tenant, connection, request, in: language) { secret in
                attempt.again(through: connection.id, browserSecret: secret, at: endpoints.now())
            }
        }
        let page = RetryPage(
            cause: cause, retryURL: started?.location, backURL: error.location ?? application.loginURLOnPages)
        return page.response(in: PageFrame(request, tenant, context)).setting(started?.cookies ?? [])
    }
}
