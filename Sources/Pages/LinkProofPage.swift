package import Hummingbird
import Web

/// The page of a mailed link, which asks a person to connect the Apple Account of the sign-in to the account with the same address. It has
/// no script, and its form goes only to this server.
package struct LinkProofPage {
    /// The address to which the mail was sent.
    let address: String
    /// The path of the form.
    let path: String
    /// The query of the path, which has the language of the page.
    let query: String
    /// The sealed sign-in of this browser, with its Apple Account.
    let attempt, ticket: String
    /// The ticket of the link.
    let proof: String
    /// The address to which the response redirects.
    let redirectURI: String

    package init(address: String, path: String, query: String, attempt: String, ticket: String, proof: String, redirectURI: String) {
        (self.address, self.path, self.query, self.attempt, self.ticket) = (address, path, query, attempt, ticket)
        (self.proof, self.redirectURI) = (proof, redirectURI)
    }

    package func response(in frame: PageFrame) -> Response {
        let language = frame.language
        var content: [String: Any] = [
            "title": language.text(.connectAccount),
            "detail": frame.content(.connectionLetsSignIn, [.organization: frame.brand?.name ?? ""]),
            "address": address, "path": path, "query": query, "attempt": attempt, "ticket": ticket, "proof": proof,
        ]
        for text in [Text.connectOnlyYourOwn, .connect] { content[text.rawValue] = language.text(text) }
        // The browser states the origin of a form only with this policy. It does not state the address of the page, which has the ticket.
        return frame.response(
            Self.template, content, forms: PagePolicy.forms(redirectingTo: [redirectURI]), referrerPolicy: "strict-origin")
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{title}}</h1>
        <p>{{#detail}}{{>text}}{{/detail}}</p>
        <p><strong><bdi>{{address}}</bdi></strong></p>
        <p>{{connectOnlyYourOwn}}</p>
        <form method="post" action="{{path}}{{query}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <input type="hidden" name="ticket" value="{{ticket}}">
        <input type="hidden" name="proof" value="{{proof}}">
        <p><button>{{connect}}</button></p>
        </form>
        """)
}
