import Access
import Encoding
package import Pages
import People
import Sealing
import Web

/// A form of an `AccountPage`.
package struct AccountForm: Sendable {
    /// A field with its label, and with its problem beside it.
    package struct Field: Sendable {
        package enum Kind: String, Sendable {
            case text, email, password
            /// A code, in large letters with space between them.
            case code = "one-time-code"
        }

        let name: String
        let label: Text
        let kind: Kind
        /// The value of `autocomplete`.
        let autocomplete: String
        package var value = ""
        package var hint: Text?
        package var problem: Text?
        /// Whether the person cannot change it. A password manager still reads it.
        var isFixed = false
        /// Whether a phone shows its keys for digits.
        var isNumeric = false
        /// In characters.
        package var longest = 254

        package init(_ name: String, _ label: Text, _ kind: Kind = .text, autocomplete: String) {
            (self.name, self.label, self.kind, self.autocomplete) = (name, label, kind, autocomplete)
        }

        static func email(_ value: String = "") -> Field {
            var field = Field("email", .emailAddress, .email, autocomplete: "username")
            field.value = value
            return field
        }

        static func password(isNew: Bool = false) -> Field {
            var field = Field("password", .password, .password, autocomplete: isNew ? "new-password" : "current-password")
            field.longest = 1024
            return field
        }

        /// The code of an authenticator app: 6 digits, with the space that some apps show.
        static func appCode() -> Field {
            var field = code()
            (field.isNumeric, field.longest) = (true, 7)
            return field
        }

        /// The code of an authenticator app, or a recovery code, which has letters.
        package static func code() -> Field {
            var field = Field("code", .code, .code, autocomplete: "one-time-code")
            field.longest = 64
            return field
        }
    }

    /// The path that gets the form.
    let action: String
    let token: FormToken
    var fields: [Field] = []
    /// Values that the person does not see.
    var hidden: [(name: String, value: String)] = []
    let button: Text
    /// Whether the button is not the way that most people go.
    package var isSecondary = false
    /// The sentence before the form.
    var introduction: Text?
    /// The thing that the button is about, for a page with several buttons of the same text.
    var subject: String?

    package init(_ action: String, _ token: FormToken, fields: [Field] = [], hidden: [(name: String, value: String)] = [], button: Text) {
        (self.action, self.token, self.fields, self.hidden, self.button) = (action, token, fields, hidden, button)
    }

    func content(in frame: PageFrame, _ values: [Text.Placeholder: String]) -> [String: Any] {
        // The focus is on the first field with a problem, else on the first one to fill in. A secondary form gets none, because a screen
        // reader would skip the main one.
        let empty = isSecondary ? nil : fields.firstIndex { !$0.isFixed && $0.value.isEmpty }
        let focus = fields.firstIndex { $0.problem != nil } ?? empty
        return [
            "action": action + frame.query, "csrf": token.text, "button": frame.language.text(button), "isSecondary": isSecondary,
            "hasSubject": subject != nil, "subject": subject ?? "",
            "hasIntroduction": introduction != nil, "introduction": introduction.map { frame.language.text($0, values) } ?? "",
            "hidden": hidden.map { ["name": $0.name, "value": $0.value] },
            "fields": fields.enumerated().map { place, field in
                var content: [String: Any] = [
                    "name": field.name, "label": frame.language.text(field.label),
                    "type": field.kind == .code ? "text" : field.kind.rawValue, "isCode": field.kind == .code,
                    "autocomplete": field.autocomplete, "value": field.value, "longest": field.longest, "isFixed": field.isFixed,
                    "hasFocus": place == focus, "isNumeric": field.isNumeric,
                    "capitals": field.autocomplete == "name" ? "words" : "none",
                ]
                if let hint = field.hint { (content["hasHint"], content["hint"]) = (true, frame.language.text(hint, values)) }
                if let problem = field.problem {
                    (content["isRefused"], content["problem"]) = (true, frame.language.text(problem, values))
                }
                content["isDescribed"] = field.hint != nil || field.problem != nil
                return content
            },
        ]
    }

    static let template = """
        {{#hasIntroduction}}
        <p>{{introduction}}</p>
        {{/hasIntroduction}}
        <form method="post" action="{{action}}">
        <input type="hidden" name="csrf" value="{{csrf}}">
        {{#hidden}}
        <input type="hidden" name="{{name}}" value="{{value}}">
        {{/hidden}}
        {{#fields}}
        <p><label for="{{name}}">{{label}}</label>
        <input id="{{name}}" name="{{name}}" type="{{type}}" value="{{value}}" maxlength="{{longest}}" autocomplete="{{autocomplete}}" \
        autocapitalize="{{capitals}}" spellcheck="false"{{#isNumeric}} inputmode="numeric"{{/isNumeric}}{{^isCode}} class="name"{{/isCode}}{{#isCode}} dir="ltr"{{/isCode}} required\
        {{#isFixed}} readonly{{/isFixed}}{{#isDescribed}} aria-describedby="about-{{name}}"{{/isDescribed}}\
        {{#isRefused}} aria-invalid="true"{{/isRefused}}{{#hasFocus}} autofocus{{/hasFocus}}>
        {{#isDescribed}}
        <small id="about-{{name}}">{{#isRefused}}<span role="alert" class="problem">{{problem}}</span> {{/isRefused}}{{#hasHint}}{{hint}}{{/hasHint}}</small>
        {{/isDescribed}}
        </p>
        {{/fields}}
        <p><button{{#isSecondary}} class="refusal"{{/isSecondary}}\
        {{#hasSubject}} aria-label="{{button}}: {{subject}}"{{/hasSubject}}>{{button}}</button></p>
        </form>
        """
}

extension OwnForm {
    /// The field of the page that asks before a removal.
    static let confirmation = (name: "confirmed", value: "yes")

    /// Whether the person has confirmed the removal on that page.
    var isConfirmed: Bool { self[Self.confirmation.name]?.isSame(as: Self.confirmation.value) == true }
}

/// The field `csrf` of each form: a MAC over a secret of the browser, the session or the step.
///
/// Only a page of this server can contain it, and only for this browser. So no other site can send a form, and no form of one session
/// counts in another.
package struct FormToken: Sendable {
    static let field = "csrf"
    private static let purpose = "account_form"

    let text: String

    /// - Parameter secret: identifies the session or the step of the browser. No page shows it.
    init(for secret: String, with keyring: Keyring) {
        let id = keyring.currentDigestKeyID
        text = (id.bytes + keyring.mac(Array(secret.utf8), purpose: Self.purpose, keyID: id)!).base64URL
    }

    /// Whether a form has the token of a secret.
    static func isRight(_ sent: String?, for secret: String, with keyring: Keyring) -> Bool {
        guard let sent, sent.utf8.count < 100, let bytes = [UInt8](base64URL: sent), bytes.count == 36, let id = KeyID(Array(bytes[..<4])),
            let expected = keyring.mac(Array(secret.utf8), purpose: purpose, keyID: id)
        else { return false }
        return constantTimeEqual(expected, Array(bytes[4...]))
    }
}
