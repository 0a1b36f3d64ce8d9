package import Hummingbird
import Web

/// The page that asks a user about an application of a third party: the application, what it receives, and the account. It has no script,
/// and its form goes only to this server.
package struct ConsentPage {
    let facts: ThirdPartyFacts
    /// The name and address of the user. Nil if they are unknown.
    let user: String?
    /// The path of the form. The other two buttons lead to paths below it.
    let path: String
    /// The query of these paths, which has the language of the page.
    let query: String
    let ticket: String
    /// The sealed code of a sign-in with Apple. Nil before a silent sign-in.
    let login: String?
    /// The application's state, in base64url.
    let state: String?
    /// The addresses to which the responses may redirect.
    let addresses: [String]

    package init(
        of user: String?, about facts: ThirdPartyFacts, path: String, query: String, ticket: String, login: String?, state: String?,
        addresses: [String]
    ) {
        (self.user, self.facts) = (user, facts)
        (self.path, self.query, self.ticket, self.login, self.state, self.addresses) = (path, query, ticket, login, state, addresses)
    }

    package func response(in frame: PageFrame) -> Response {
        let language = frame.language
        let values: [Text.Placeholder: String] = [
            .application: facts.application, .user: user ?? language.text(.yourAppleAccount),
        ]
        var content: [String: Any] = [
            "title": language.text(.askForConsent, values), "heading": frame.content(.askForConsent, values),
            "account": frame.content(.accountInUse, values), "path": path, "query": query, "ticket": ticket,
        ]
        content.merge(facts.content(in: frame)) { mine, _ in mine }
        for text in [Text.allow, .refuse, .useAnotherAccount] { content[text.rawValue] = language.text(text) }
        if let login { (content["hasLogin"], content["login"]) = (true, login) }
        if let state { (content["hasState"], content["state"]) = (true, state) }
        // The browser states the origin of a form only with this policy.
        return frame.response(
            Self.template, content, forms: PagePolicy.forms(redirectingTo: addresses), referrerPolicy: "same-origin")
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{#heading}}{{>text}}{{/heading}}</h1>
        \(ThirdPartyFacts.template)
        <p>{{#account}}{{>text}}{{/account}}</p>
        <form method="post" action="{{path}}{{query}}">
        <input type="hidden" name="ticket" value="{{ticket}}">
        {{#hasLogin}}
        <input type="hidden" name="login" value="{{login}}">
        {{/hasLogin}}
        {{#hasState}}
        <input type="hidden" name="state" value="{{state}}">
        {{/hasState}}
        <p><button>{{allow}}</button></p>
        <p><button class="refusal" formaction="{{path}}/refusal{{query}}">{{refuse}}</button></p>
        <p><button class="refusal" formaction="{{path}}/sign-in{{query}}">{{useAnotherAccount}}</button></p>
        </form>
        """)
}
