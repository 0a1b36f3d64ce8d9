import HTTPTypes
package import Hummingbird
import Web

/// A page that posts a response to an application. A script posts it, or a button where no script runs (OAuth 2.0 Form Post Response Mode,
/// section 2).
///
/// The page contains a code, so its policy allows no other action. It names the one script by its hash, and the application's origin as the
/// only target of the form. `HTMLTemplate` escapes all values of the request.
package struct FormPostPage {
    let action: String
    let origin: String?
    let fields: [(name: String, value: String)]

    /// - Parameter origin: the origin of the action, or the permitted targets of the form, as a policy names them.
    package init(action: String, at origin: String?, fields: [(String, String)]) {
        (self.action, self.origin, self.fields) = (action, origin, fields.map { (name: $0.0, value: $0.1) })
    }

    /// - Parameter language: The tag of the language of a request that does not have `ui_locales` in its query.
    package func response(for request: Request, in language: String? = nil, cookies: [String]) -> Response {
        let frame = PageFrame(request, nil, requestID: "", language: language)
        let inputs = fields.map { ["name": $0.name, "value": $0.value] }
        let policy = PagePolicy(
            style: Self.styleSource, script: Self.scriptSource, images: nil, forms: origin ?? "'none'")
        let html = Self.template.render(
            frame.rootContent.merging([
                "action": action, "inputs": inputs, "policy": policy.meta, "title": frame.language.text(.backToTheApplication),
                "detail": frame.language.text(.youAreTakenBack), "button": frame.language.text(.continueByHand),
            ]) { $1 })
        // The application may see the origin of the page, but not its address.
        var response = Response.page(html, policy: policy, referrerPolicy: "origin")
        frame.note(languageIn: &response)
        return response.setting(cookies)
    }

    private static let script = "document.forms[0].submit()"
    private static let scriptSource = PagePolicy.source(ofInline: script)
    private static let styleSource = PagePolicy.source(ofInline: style)

    private static let style = """
        :root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; }
        body { margin: 0; min-height: 100vh; display: grid; place-content: center; text-align: center; }
        button { font: inherit; padding: .5rem 1.5rem; }
        """

    private static let template = HTMLTemplate.page(
        titled: "{{title}}", style: style, root: PageFrame.root,
        """
        <form method="post" action="{{action}}">
        {{#inputs}}
        <input type="hidden" name="{{name}}" value="{{value}}">
        {{/inputs}}
        <p>{{detail}}</p>
        <p><button>{{button}}</button></p>
        </form>
        <script>\(script)</script>
        """)
}
