package import Hummingbird
import Web

/// The page that asks a person to confirm one more Apple Account. It names the account that gets it, so that a person who was led here sees
/// that it is another's. It has no script, and its form goes only to this server.
package struct ConnectPage {
    /// The address of the Apple Account. Nil if Apple did not tell it.
    let address: String?
    /// The start and the domain of the user's address, as Apple signed it, or the user's ID. It is never empty, because it is what the person
    /// recognizes.
    let account: String
    /// The path of the form. The second button leads to a path below it.
    let path: String
    /// The query of these paths, which has the language of the page.
    let query: String
    let attempt: String
    let ticket: String
    /// The address to which the responses redirect.
    let redirectURI: String

    package init(
        address: String?, account: String, path: String, query: String, attempt: String, ticket: String, redirectURI: String
    ) {
        (self.address, self.account, self.path, self.query) = (address, account, path, query)
        (self.attempt, self.ticket, self.redirectURI) = (attempt, ticket, redirectURI)
    }

    package func response(in frame: PageFrame) -> Response {
        let language = frame.language
        var content: [String: Any] = [
            "title": language.text(.connectAccount),
            "detail": frame.content(.connectionLetsSignIn, [.organization: frame.brand?.name ?? ""]),
            "account": account, "path": path, "query": query, "attempt": attempt, "ticket": ticket,
        ]
        if let address { content["apple"] = ["address": address] }
        for text in [Text.connectOnlyYourOwn, .connect, .refuse] { content[text.rawValue] = language.text(text) }
        // The browser states the origin of a form only with this policy.
        return frame.response(
            Self.template, content, forms: PagePolicy.forms(redirectingTo: [redirectURI]), referrerPolicy: "same-origin")
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{title}}</h1>
        {{#apple}}
        <p><strong><bdi>{{address}}</bdi></strong></p>
        {{/apple}}
        <p>{{#detail}}{{>text}}{{/detail}}</p>
        <p><strong><bdi>{{account}}</bdi></strong></p>
        <p>{{connectOnlyYourOwn}}</p>
        <form method="post" action="{{path}}{{query}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <input type="hidden" name="ticket" value="{{ticket}}">
        <p><button>{{connect}}</button></p>
        <p><button class="refusal" formaction="{{path}}/refusal{{query}}">{{refuse}}</button></p>
        </form>
        """)
}
