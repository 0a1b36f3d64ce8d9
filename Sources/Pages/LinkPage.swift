package import Hummingbird
import Web

/// The page that asks a person about a user with the same address: sign in to that user, prove it by mail, or create a separate one. It
/// tells no more about that user than the person's own address. It has no script, and its form goes only to this server.
package struct LinkPage {
    /// The person's address.
    let address: String
    /// The path of the form. The second button leads to a path below it.
    let path: String
    /// The query of these paths, which has the language of the page.
    let query: String
    /// The sealed sign-in of this browser.
    let attempt: String
    let ticket: String
    /// Whether the server can mail a link to the address.
    let offersMail: Bool
    /// The addresses to which the responses may redirect.
    let addresses: [String]

    package init(
        address: String, path: String, query: String, attempt: String, ticket: String, offersMail: Bool, addresses: [String]
    ) {
        (self.address, self.path, self.query, self.attempt, self.ticket) = (address, path, query, attempt, ticket)
        (self.offersMail, self.addresses) = (offersMail, addresses)
    }

    package func response(in frame: PageFrame) -> Response {
        let language = frame.language
        let values: [Text.Placeholder: String] = [.address: address, .organization: frame.brand?.name ?? ""]
        var content: [String: Any] = [
            "title": language.text(.accountExists), "detail": frame.content(.accountHasYourAddress, values),
            "path": path, "query": query, "attempt": attempt, "ticket": ticket, "offersMail": offersMail,
        ]
        for text in [Text.signInToLinkIt, .chooseEarlierAccount, .signInToThatAccount, .sendLinkByMail, .createSeparateAccount] {
            content[text.rawValue] = language.text(text)
        }
        // The browser states the origin of a form only with this policy.
        return frame.response(
            Self.template, content, forms: PagePolicy.forms(redirectingTo: addresses), referrerPolicy: "same-origin")
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{title}}</h1>
        <p>{{#detail}}{{>text}}{{/detail}}</p>
        <p>{{signInToLinkIt}}</p>
        <p>{{chooseEarlierAccount}}</p>
        <form method="post" action="{{path}}{{query}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <input type="hidden" name="ticket" value="{{ticket}}">
        <p><button>{{signInToThatAccount}}</button></p>
        {{#offersMail}}
        <p><button formaction="{{path}}/mail{{query}}">{{sendLinkByMail}}</button></p>
        {{/offersMail}}
        <p><button class="refusal" formaction="{{path}}/separate{{query}}">{{createSeparateAccount}}</button></p>
        </form>
        """)
}
