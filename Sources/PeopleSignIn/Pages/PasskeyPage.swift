import Encoding
import HTTPTypes
import Hummingbird
import Pages
import Passkeys
import Web

/// A page with the form that creates or uses a passkey. Its one script is inline, and permitted by its hash. Without JavaScript, the page
/// says so and shows the other ways.
struct PasskeyPage: Sendable {
    enum Call: String, Sendable { case create, get }

    let title: Text
    let call: Call
    /// The JSON of `RelyingParty.creationOptions` or `requestOptions`.
    let options: String
    /// The path that gets the form.
    let action: String
    let token: FormToken
    let button: Text
    var details: [Text] = []
    var problem: Text?
    var links: [AccountPage.Link] = []
    var fields: [AccountForm.Field] = []

    init(_ title: Text, _ call: Call, options: String, action: String, token: FormToken, button: Text) {
        (self.title, self.call, self.options, self.action, self.token, self.button) = (title, call, options, action, token, button)
    }

    func response(in frame: PageFrame) -> Response {
        let language = frame.language
        var content: [String: Any] = [
            "title": (problem.map { "\(language.text($0)) " } ?? "") + language.text(title), "heading": language.text(title),
            "details": details.map { ["sentence": language.text($0)] }, "call": call.rawValue, "options": options,
            "action": action + frame.query, "csrf": token.text, "button": language.text(button),
            "withoutScript": language.text(.passkeysNeedAScript), "canceled": language.text(.passkeyWasNotConfirmed),
            "unsupported": language.text(.browserHasNoPasskeys), "failed": language.text(.passkeyIsNotAccepted),
            "fields": fields.map {
                ["name": $0.name, "label": language.text($0.label), "value": $0.value, "autocomplete": $0.autocomplete]
            },
            "links": links.map { ["text": language.text($0.text), "path": $0.path] },
        ]
        if let problem { (content["hasProblem"], content["problem"]) = (true, language.text(problem)) }
        return frame.response(
            Self.template, content, problem == nil ? .ok : .badRequest, forms: "'self'", script: PasskeyScript.text,
            referrerPolicy: "same-origin")
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{heading}}</h1>
        {{#hasProblem}}
        <p role="alert" class="problem">{{problem}}</p>
        {{/hasProblem}}
        {{#details}}
        <p>{{sentence}}</p>
        {{/details}}
        <noscript><p>{{withoutScript}}</p></noscript>
        <form method="post" action="{{action}}" hidden data-passkey="{{call}}" data-options="{{options}}">
        <input type="hidden" name="csrf" value="{{csrf}}">
        {{#fields}}
        <p><label for="{{name}}">{{label}}</label>
        <input id="{{name}}" name="{{name}}" value="{{value}}" class="name" maxlength="100" autocomplete="{{autocomplete}}"></p>
        {{/fields}}
        <p role="alert" class="problem" hidden data-passkey-error="NotAllowedError">{{canceled}}</p>
        <p role="alert" class="problem" hidden data-passkey-error="unsupported">{{unsupported}}</p>
        <p role="alert" class="problem" hidden data-passkey-error="other">{{failed}}</p>
        <p><button autofocus>{{button}}</button></p>
        </form>
        {{#links}}
        <p><a href="{{path}}">{{text}}</a></p>
        {{/links}}
        """, script: PasskeyScript.text)
}
