import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Web

/// The response to the redirect URI, in the requested response mode.
struct AuthorizeAnswer: Sendable {
    let redirectURI: String
    let mode: AuthorizeRequest.ResponseMode
    let form: Form

    init(to request: AuthorizeRequest, _ fields: [(name: String, value: String)]) {
        redirectURI = request.redirectURI
        mode = request.responseMode
        form = Form(fields: fields + (request.state.map { [(name: "state", value: $0)] } ?? []))
    }

    var response: Response {
        switch mode {
        case .query: redirect("\(redirectURI)\(redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")\(form.encoded)")
        case .fragment: redirect("\(redirectURI)#\(form.encoded)")
        case .formPost: .page(formPostPage, policy: Self.policy)
        }
    }

    private func redirect(_ location: String) -> Response {
        var headers = HTTPFields()
        headers[.location] = location
        headers[.cacheControl] = "no-store"
        return Response(status: .found, headers: headers)
    }

    private var formPostPage: String {
        Self.template.render(
            [
                "policy": Self.policy.meta, "action": redirectURI, "script": Self.script,
                "fields": form.fields.map { ["name": $0.name, "value": $0.value] },
            ] as [String: Any])
    }

    private static let script = "document.forms[0].submit()"

    /// It permits only this script. It does not restrict the form's target, because browsers also apply such a restriction to the
    /// redirect of the response, and Apple's page does not restrict the website.
    private static let policy = PagePolicy(
        script: "'sha256-\(Data(SHA256.hash(data: Data(script.utf8))).base64EncodedString())'", forms: nil)

    /// OAuth 2.0 Form Post Response Mode, section 2. Without JavaScript, the person presses the button.
    private static let template = HTMLTemplate(
        """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{{policy}}"><title>Returning</title></head>
        <body>
        <form method="post" action="{{action}}">
        {{#fields}}
        <input type="hidden" name="{{name}}" value="{{value}}">
        {{/fields}}
        <noscript><p>JavaScript is off.</p></noscript>
        <button type="submit">Return to the website</button>
        </form>
        <script>{{{script}}}</script>
        </body>
        </html>
        """)
}
