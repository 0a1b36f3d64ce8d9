package import Hummingbird
import Web

/// The page that asks a user for the name that Apple did not share. It has no script, and its form goes only to this server.
package struct NamePage {
    /// A name that was refused, as the person entered it.
    package struct Entry {
        let given, family: String

        package init(given: String, family: String) {
            (self.given, self.family) = (given, family)
        }
    }

    let application: String
    /// The path of the form. The other two buttons lead to paths below it.
    let path: String
    /// The query of these paths, which has the language of the page.
    let query: String
    let ticket: String
    /// The sealed code of the sign-in.
    let login: String
    /// The application's state, in base64url.
    let state: String?
    /// The addresses to which the responses may redirect.
    let addresses: [String]
    /// Whether the page explains how Apple shares the name again. On the shared connection, this would end the sign-ins at all tenants.
    let explainsReset: Bool
    let refused: Entry?

    package init(
        application: String, path: String, query: String, ticket: String, login: String, state: String?, addresses: [String],
        explainsReset: Bool, refused: Entry? = nil
    ) {
        (self.application, self.path, self.query) = (application, path, query)
        (self.ticket, self.login, self.state) = (ticket, login, state)
        (self.addresses, self.explainsReset, self.refused) = (addresses, explainsReset, refused)
    }

    package func response(in frame: PageFrame) -> Response {
        let language = frame.language
        func field(_ id: String, _ hint: String, _ label: Text, _ text: String?) -> [String: Any] {
            ["id": id, "hint": hint, "label": language.text(label), "text": text ?? "", "isRefused": refused != nil]
        }
        let fields = [
            field("given_name", "given-name", .givenName, refused?.given),
            field("family_name", "family-name", .familyName, refused?.family),
        ]
        var ordered = language.putsFamilyNameFirst ? Array(fields.reversed()) : fields
        // Many screen readers do not announce an alert of a page that loads. They read the title and the field with the focus.
        ordered[0]["hasFocus"] = refused != nil
        let heading = language.text(.askForName)
        var content: [String: Any] = [
            "title": refused == nil ? heading : "\(language.text(.enterOneName)) \(heading)", "heading": heading,
            "reason": frame.content(.nameIsRequired, [.application: application]),
            "path": path, "query": query, "ticket": ticket, "login": login, "fields": ordered, "isRefused": refused != nil,
            "explainsReset": explainsReset,
            "steps": [Text.openAppleSettings, .stopUsingAppleAccount, .thenSignInAgain].map {
                ["step": language.text($0)]
            },
        ]
        for text in [Text.enterOneName, .continueByHand, .signInAgain, .cancel, .appleSharesNameOnce, .nameIsSharedOnce] {
            content[text.rawValue] = language.text(text)
        }
        if let state { (content["hasState"], content["state"]) = (true, state) }
        // The browser states the origin of a form only with this policy.
        return frame.response(
            Self.template, content, refused == nil ? .ok : .badRequest, forms: PagePolicy.forms(redirectingTo: addresses),
            referrerPolicy: "same-origin")
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{heading}}</h1>
        <p>{{#reason}}{{>text}}{{/reason}}</p>
        <p id="rule"{{#isRefused}} role="alert" class="problem"{{/isRefused}}>{{enterOneName}}</p>
        <form method="post" action="{{path}}{{query}}">
        <input type="hidden" name="ticket" value="{{ticket}}">
        <input type="hidden" name="login" value="{{login}}">
        {{#hasState}}
        <input type="hidden" name="state" value="{{state}}">
        {{/hasState}}
        {{#fields}}
        <p><label for="{{id}}">{{label}}</label>
        <input class="name" id="{{id}}" name="{{id}}" value="{{text}}" maxlength="100" autocomplete="{{hint}}" autocapitalize="words" \
        spellcheck="false" dir="auto" aria-describedby="rule"\
        {{#isRefused}} aria-invalid="true"{{/isRefused}}{{#hasFocus}} autofocus{{/hasFocus}}></p>
        {{/fields}}
        <p><button>{{continueByHand}}</button></p>
        <p><button class="refusal" formaction="{{path}}/sign-in{{query}}">{{signInAgain}}</button></p>
        <p><button class="refusal" formaction="{{path}}/refusal{{query}}">{{cancel}}</button></p>
        </form>
        {{#explainsReset}}
        <h2>{{appleSharesNameOnce}}</h2>
        <p>{{nameIsSharedOnce}}</p>
        <ol>
        {{#steps}}
        <li>{{step}}</li>
        {{/steps}}
        </ol>
        {{/explainsReset}}
        """)
}
