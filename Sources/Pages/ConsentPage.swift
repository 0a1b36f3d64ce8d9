package import Hummingbird
import Web

/// The page that asks a user about an application of a third party: the application, what it receives, and the account. It has no script,
/// and its form goes only to this server.
package struct ConsentPage {
    let application: String
    /// The name and address of the user. Nil if they are unknown.
    let user: String?
    let scopes: [String]
    /// The names of the APIs that the application gets access to, each with its scopes.
    let apis: [(name: String, scopes: [String])]
    /// The path of the form. The other two buttons lead to paths below it.
    let path: String
    /// The query of these paths, which has the language of the page.
    let query: String
    let ticket: String
    /// The application's state, in base64url.
    let state: String?
    /// The addresses to which the responses may redirect.
    let addresses: [String]

    package init(
        application: String, user: String?, scopes: [String], apis: [(name: String, scopes: [String])], path: String, query: String,
        ticket: String, state: String?, addresses: [String]
    ) {
        (self.application, self.user, self.scopes, self.apis) = (application, user, scopes, apis)
        (self.path, self.query, self.ticket, self.state, self.addresses) = (path, query, ticket, state, addresses)
    }

    package func response(in frame: PageFrame) -> Response {
        let language = frame.language
        let values: [Text.Placeholder: String] = [
            .application: application, .organization: frame.brand?.name ?? "", .user: user ?? language.text(.yourAppleAccount),
        ]
        var received = [frame.content(.receivesUserID)]
        let named: [(String, Text)] = [
            ("profile", .receivesName), ("email", .receivesEmail), ("offline_access", .receivesOfflineAccess),
        ]
        for (scope, text) in named where scopes.contains(where: { $0.utf8.elementsEqual(scope.utf8) }) {
            received.append(frame.content(text))
        }
        for api in apis {
            let permissions = api.scopes.isEmpty ? "" : " (\(api.scopes.joined(separator: ", ")))"
            received.append(frame.content(.receivesAPI, [.api: api.name + permissions]))
        }
        var content: [String: Any] = [
            "title": language.text(.askForConsent, values), "heading": frame.content(.askForConsent, values),
            "owner": frame.content(.applicationIsOfThirdParty, values), "account": frame.content(.accountInUse, values),
            "receives": language.text(.applicationReceives), "received": received.map { ["item": $0] },
            "path": path, "query": query, "ticket": ticket,
        ]
        for text in [Text.allow, .refuse, .useAnotherAccount] { content[text.rawValue] = language.text(text) }
        if let state { (content["hasState"], content["state"]) = (true, state) }
        // The browser states the origin of a form only with this policy.
        return frame.response(
            Self.template, content, forms: PagePolicy.forms(redirectingTo: addresses), referrerPolicy: "same-origin")
    }

    private static let template = HTMLTemplate.framed(
        """
        <h1>{{#heading}}{{>text}}{{/heading}}</h1>
        <p>{{#owner}}{{>text}}{{/owner}}</p>
        <p>{{receives}}</p>
        <ul class="list">
        {{#received}}
        <li>{{#item}}{{>text}}{{/item}}</li>
        {{/received}}
        </ul>
        <p>{{#account}}{{>text}}{{/account}}</p>
        <form method="post" action="{{path}}{{query}}">
        <input type="hidden" name="ticket" value="{{ticket}}">
        {{#hasState}}
        <input type="hidden" name="state" value="{{state}}">
        {{/hasState}}
        <p><button>{{allow}}</button></p>
        <p><button class="refusal" formaction="{{path}}/refusal{{query}}">{{refuse}}</button></p>
        <p><button class="refusal" formaction="{{path}}/sign-in{{query}}">{{useAnotherAccount}}</button></p>
        </form>
        """)
}
