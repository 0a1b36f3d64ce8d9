package import Access
import Encoding
package import HTTPTypes
package import Hummingbird
package import Pages
package import Tenancy
package import Web

/// The page for a person when a login fails and no application can be notified. It never redirects, because the target of the redirect is
/// in doubt (RFC 9700, section 4.11).
package struct ErrorPage: Error, Sendable {
    package let outcome: String
    package let status: HTTPResponse.Status
    var notice: NoticePage
    /// Cookies of the response, in the form of `Set-Cookie`.
    package var cookies: [String] = []
    /// The look of the tenant, if it is known.
    private var brand: Brand?
    /// The application that the request names, for a page whose tenant cannot be served.
    private var application: ID<Application>?

    /// The text for an application that sent its request directly.
    package var explanation: String { notice.explanation }

    package init(
        outcome: String, status: HTTPResponse.Status, title: Text, detail: Text, remedy: Text..., values: [Text.Placeholder: String] = [:],
        facts: [NoticePage.Fact] = [], laterFacts: [NoticePage.Fact] = []
    ) {
        (self.outcome, self.status) = (outcome, status)
        notice = NoticePage(title: title, detail: detail, remedy: remedy, values: values, facts: facts, laterFacts: laterFacts)
    }

    package static let unknownTenant = ErrorPage(
        outcome: "unknown_tenant", status: .notFound, title: .signInPageNotFound, detail: .noSignInAtThisAddress, remedy: .checkTheAddress)
    private static let suspendedTenant = ErrorPage(
        outcome: "suspended_tenant", status: .notFound, title: .signInIsSuspended, detail: .signInIsSwitchedOff, remedy: .contactSupport)
    package static let unknownApplication = ErrorPage(
        outcome: "unknown_application", status: .badRequest, title: .unknownApplication, detail: .clientIDIsUnknown,
        remedy: .useTheRegisteredClientID)
    static let signsNobodyIn = ErrorPage(
        outcome: "signs_nobody_in", status: .badRequest, title: .applicationHasNoSignIn, detail: .applicationIsAMachine,
        remedy: .registerAnotherKind)
    static let redirectURIMissing = ErrorPage(
        outcome: "redirect_uri_missing", status: .badRequest, title: .returnAddressIsMissing, detail: .redirectURIIsMissing,
        remedy: .sendARegisteredRedirectURI)
    package static let pushedRequestUnreadable = ErrorPage(
        outcome: "pushed_request_unreadable", status: .badRequest, title: .signInHasExpired, detail: .requestURIIsUnknown,
        remedy: .startAgain)
    package static let embedded = ErrorPage(
        outcome: "embedded", status: .badRequest, title: .signInDidNotStart, detail: .signInNeedsTheWindow,
        remedy: .startAgain, .developersSendTheWindow)
    static let stateTooLong = ErrorPage(
        outcome: "state_too_long", status: .badRequest, title: .requestCannotBeProcessed, detail: .stateIsTooLong,
        remedy: .sendAShorterState,
        values: [
            .limit: "\(AuthorizationRequest.longestState)", .limitWhenEncoded: "\(AuthorizationRequest.longestStateInAnswer)",
        ])
    static let malformed = ErrorPage(
        outcome: "malformed", status: .badRequest, title: .requestCannotBeRead, detail: .parameterIsMalformed, remedy: .startAgain)
    package static let attemptUnreadable = ErrorPage(
        outcome: "attempt_unreadable", status: .badRequest, title: .signInWasNotStartedHere, detail: .responseBelongsToNoSignIn,
        remedy: .startAgain)
    package static let attemptExpired = ErrorPage(
        outcome: "attempt_expired", status: .badRequest, title: .signInTookTooLong, detail: .startedTooLongAgo, remedy: .startAgain)
    package static let budgetUsedUp = ErrorPage(
        outcome: "budget_used_up", status: .serviceUnavailable, title: .signInIsUnavailableThisMonth, detail: .monthlyLimitIsReached,
        remedy: .tryNextMonth)
    package static let outage = ErrorPage(
        outcome: "unavailable", status: .serviceUnavailable, title: .serviceIsUnavailable, detail: .databaseIsUnreachable,
        remedy: .reloadInAMoment)
    package static let outageAtCallback = ErrorPage(
        outcome: "unavailable", status: .serviceUnavailable, title: .serviceIsUnavailable, detail: .databaseIsUnreachable,
        remedy: .reloadAndSendAgain)
    /// The person sends a form again whose sign-in the application has used.
    package static let signInFinished = ErrorPage(
        outcome: "sign_in_finished", status: .badRequest, title: .signInIsFinished, detail: .applicationHasTheSignIn,
        remedy: .returnToTheApplication)
    package static let otherBrowser = ErrorPage(
        outcome: "other_browser", status: .badRequest, title: .signInStartedInAnotherBrowser, detail: .finishedOrWithoutCookies,
        remedy: .startAgain)
}

// MARK: Addresses that are not registered

extension ErrorPage {
    /// - Parameters:
    ///   - uri: the request's URI. It is shown as text and is not a link.
    ///   - issuer: the tenant's issuer.
    package static func redirectURINotRegistered(_ uri: String, of application: Application, issuer: String) -> ErrorPage {
        ErrorPage(
            outcome: "redirect_uri_not_registered", status: .badRequest, title: .returnAddressIsNotRegistered,
            detail: .addressIsNotRegistered,
            remedy: registration(of: uri, application.redirectURIs, application), .otherwiseTellTheDevelopers,
            values: [.parameter: "redirect_uri", .field: "redirect_uris"],
            facts: [.init(.application, application.name), .init(parameter: "redirect_uri", shown(uri))],
            laterFacts: registered(application.redirectURIs, issuer: issuer)
        ).leading(to: application)
    }

    /// The next step of a developer whose request has an address that is not registered.
    static func registration(of uri: String, _ registered: [String], _ application: Application) -> Text {
        // A registered wildcard does not equal itself.
        if registered.has(uri) { return .developersSendThePage }
        return application.lacksDevelopmentURIs(for: uri, in: registered) ? .developersAllowDevelopment : .developersAddTheAddress
    }

    /// The registered addresses, on a server for development. Only such a server has an address without TLS. On another one, they can name
    /// hosts that are not public.
    static func registered(_ uris: [String], issuer: String) -> [NoticePage.Fact] {
        issuer.begins(with: "http:") ? uris.prefix(10).map { .init(.registeredAddress, shown($0)) } : []
    }

    /// An address that a person can compare with another one. It is in ASCII, so that no letter looks like another and none reverses the
    /// text.
    static func shown(_ uri: String) -> String {
        let longest = 500
        let bytes = uri.utf8.prefix(longest).map { byte in
            (0x20...0x7E).contains(byte) ? String(UnicodeScalar(byte)) : Form.encode(byte: byte)
        }
        return bytes.joined() + (uri.utf8.count > longest ? "…" : "")
    }
}

// MARK: The look of the tenant

extension PageFrame {
    /// The frame of a page of a tenant.
    package init(_ request: Request, _ tenant: TenantConfiguration, _ context: WebContext) {
        let facts = context.record.current
        self.init(request, tenant.brand, requestID: facts.requestID, language: facts.language)
    }
}

extension ErrorPage {
    /// The page with a button that leads to the application, where the user can start again. A third party gets no button below the name of
    /// the tenant, because it may have chosen its address itself.
    package func leading(to application: Application) -> ErrorPage {
        var page = self
        page.notice.loginURL = application.loginURLOnPages
        return page
    }

    /// The page with a link to another page of this server.
    package func leading(to path: String, _ text: Text) -> ErrorPage {
        var page = self
        (page.notice.loginURL, page.notice.loginText) = (path, text)
        return page
    }

    /// The page that leads to the application with this ID, if it belongs to the tenant that the request names.
    package func leading(toApplication id: ID<Application>?) -> ErrorPage {
        var page = self
        page.application = id
        return page
    }

    /// The page with the look of the tenant that the request names, if this process has found the tenant before. During an outage, it must
    /// also be in memory.
    package func dressed(for context: WebContext, by directory: TenantDirectory) async -> ErrorPage {
        guard let slug = context.record.current.tenant ?? context.parameters.get("tenant"), let found = await known(slug, to: directory)
        else { return self }
        let isUnknown = outcome.isSame(as: Self.unknownTenant.outcome)
        var page = self
        switch found.tenant.status {
        case .active: break
        case .suspended: if isUnknown { page = Self.suspendedTenant }
        case .deleted, .purged: return self
        }
        page.brand = (found.reached(at: context.ownHost) ?? found).brand
        return application.flatMap { found.applications[$0] }.map(page.leading(to:)) ?? page
    }
}

extension ErrorPage {
    /// A tenant that this process has found before. A change removes it from memory, so it is read again. If the database does not answer
    /// within the pool's waiting time, the page appears without the look, because the person needs its text.
    private func known(_ slug: String, to directory: TenantDirectory) async -> TenantConfiguration? {
        if let found = directory.remembered(slug: slug) { return found }
        guard !outcome.isSame(as: Self.outage.outcome), directory.isKnown(slug: slug) else { return nil }
        return try? await directory.find(slug: slug)
    }
}

extension ErrorPage: HTTPResponseError {
    package func response(from request: Request, context: some RequestContext) throws -> Response {
        let record = (context as? any RecordedContext)?.record
        record?.note(outcome: outcome)
        let facts = record?.current
        return notice.response(status, in: PageFrame(request, brand, requestID: facts?.requestID ?? "", language: facts?.language))
            .setting(cookies)
    }
}
