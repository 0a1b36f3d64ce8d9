import Access
import AppleButton
import Encoding
package import Hummingbird
import Pages
package import Sessions
package import Tenancy
package import Web

/// The tenant's page before Apple's page: its look, a sentence, and a Sign in with Apple button.
///
/// The page starts no login attempt, so that a person may leave it open. The button sends the same request again, with `provider` for the
/// way straight to Apple.
package struct SignInPage {
    private let purpose: AuthorizationRequest.Purpose
    private let application: Application
    private let frame: PageFrame
    /// The address of the button, relative to the page's.
    private let target: String

    /// The page, or nil if neither the request, the application nor the tenant chooses it.
    /// - Parameters:
    ///   - provider: the value of `provider` for the way straight to Apple.
    ///   - query: the parameters for the button, or nil if they do not fit into a URL. Then there is no page.
    package init?(
        _ asked: AuthorizationRequest, straightTo provider: String, for tenant: TenantConfiguration, _ request: Request,
        _ context: WebContext, query: () -> String?
    ) {
        switch asked.application.signInPage ?? tenant.tenant.settings.signInPage {
        case .never: return nil
        case .onRequest: guard asked.purpose != nil else { return nil }
        case .always: break
        }
        guard let query = query() else { return nil }
        target = "?\(query)&provider=\(provider)"
        (purpose, application) = (asked.purpose ?? .signIn, asked.application)
        frame = PageFrame(request, tenant, context)
    }

    /// The query of a request without the parameters that the page has followed. All others stay, byte by byte.
    package static func remainder(of query: String) -> String {
        query.parts(at: "&").filter { pair in
            let name = pair.parts(at: "=", atMost: 2, includingEmpty: true).first.flatMap { Form.decode(String($0)) }
            return !["provider", "screen_hint"].has(name ?? "")
        }.joined(separator: "&")
    }

    func response() -> Response {
        let language = frame.language
        let title = language.text(purpose == .signUp ? .signUpTitle : .signInTitle, [.application: application.name])
        var content: [String: Any] = [
            "title": title, "button": ButtonImage(purpose.button, in: language).content(leadingTo: target),
            "heading": frame.content(purpose == .signUp ? .signUpTitle : .signInTitle, [.application: application.name]),
        ]
        if purpose == .chooseAccount { (content["hasHint"], content["hint"]) = (true, language.text(.chooseAccount)) }
        if let organization = frame.termsAreOf {
            content["agreement"] = ["sentence": frame.content(.agreement, [.organization: organization])]
        }
        return frame.response(Self.template, content)
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{#heading}}{{>text}}{{/heading}}</h1>
        {{#hasHint}}
        <p>{{hint}}</p>
        {{/hasHint}}
        {{#button}}
        \(ButtonImage.link)
        {{/button}}
        {{#agreement}}
        <p><small>{{#sentence}}{{>text}}{{/sentence}}</small></p>
        {{/agreement}}
        """)
}

extension AuthorizationRequest.Purpose {
    fileprivate var button: AppleButton.Kind {
        switch self {
        case .signIn: .signIn
        case .signUp: .signUp
        case .chooseAccount: .continueWith
        }
    }
}
