import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Tenancy
import Web

/// A page that posts a response to an application. A script posts it, or a button where no script runs (OAuth 2.0 Form Post Response Mode,
/// section 2).
///
/// The page contains a code, so its policy allows no other action. It names the one script by its hash, and the application's origin as the
/// only target of the form. `HTMLTemplate` escapes all values of the request.
struct FormPostPage {
    let action: String
    let fields: [(name: String, value: String)]

    init(action: String, fields: [(String, String)]) {
        (self.action, self.fields) = (action, fields.map { (name: $0.0, value: $0.1) })
    }

    func response(cookies: [String]) -> Response {
        let inputs = fields.map { ["name": $0.name, "value": $0.value] }
        let policy = PagePolicy(
            style: "'\(Self.hash(Self.style))'", script: "'\(Self.hash(Self.script))'", images: nil,
            forms: RedirectURI.origin(of: action) ?? "'none'")
        let html = Self.template.render(["action": action, "inputs": inputs, "policy": policy.meta] as [String: Any])
        // The application may see the origin of the page, but not its address.
        var response = Response.page(html, policy: policy, referrerPolicy: "origin")
        for cookie in cookies { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return response
    }

    /// A hash source of Content Security Policy Level 3, section 2.3.1.
    private static func hash(_ source: String) -> String {
        "sha256-\(Data(SHA256.hash(data: Data(source.utf8))).base64EncodedString())"
    }

    private static let script = "document.forms[0].submit()"

    private static let style = """
        :root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; }
        body { margin: 0; min-height: 100vh; display: grid; place-content: center; text-align: center; }
        button { font: inherit; padding: .5rem 1.5rem; }
        """

    private static let template = HTMLTemplate.page(
        titled: "Back to the application", style: style,
        """
        <form method="post" action="{{action}}">
        {{#inputs}}
        <input type="hidden" name="{{name}}" value="{{value}}">
        {{/inputs}}
        <p>You are taken back to the application.</p>
        <p><button>Continue</button></p>
        </form>
        <script>\(script)</script>
        """)
}
