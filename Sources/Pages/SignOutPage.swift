package import Hummingbird
import Web

/// The page that asks a person whether to sign out of all applications. It has no script, and its form goes only to this server.
package struct SignOutPage {
    /// Where the form goes.
    let action: String
    /// The proof that the page has asked.
    let ticket: String
    /// The name and address of the person. Nil if they are unknown.
    let user: String?
    /// Where the browser goes afterwards, and at once if the person stays signed in.
    let address: String?

    package init(action: String, ticket: String, user: String?, address: String?) {
        (self.action, self.ticket, self.user, self.address) = (action, ticket, user, address)
    }

    package func response(in frame: PageFrame) -> Response {
        let language = frame.language
        let values: [Text.Placeholder: String] = [
            .organization: frame.brand?.name ?? "", .user: user ?? language.text(.yourAppleAccount),
        ]
        var content: [String: Any] = [
            "title": language.text(.askToSignOut, values), "detail": frame.content(.signOutEndsAll, values),
            "account": frame.content(.accountInUse, values), "action": action, "ticket": ticket,
            "signOut": language.text(.signOut),
        ]
        if let address { (content["canReturn"], content["address"], content["stay"]) = (true, address, language.text(.staySignedIn)) }
        // The browser states the origin of a form only with this policy.
        return frame.response(
            Self.template, content, forms: PagePolicy.forms(redirectingTo: address.map { [$0] } ?? []), referrerPolicy: "same-origin")
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{title}}</h1>
        <p>{{#account}}{{>text}}{{/account}}</p>
        <p>{{#detail}}{{>text}}{{/detail}}</p>
        <form method="post" action="{{action}}">
        <input type="hidden" name="ticket" value="{{ticket}}">
        <p><button>{{signOut}}</button></p>
        </form>
        {{#canReturn}}
        <p><a class="button refusal" href="{{address}}">{{stay}}</a></p>
        {{/canReturn}}
        """)
}
