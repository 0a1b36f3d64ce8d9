/// The facts about an application of a third party for a person who decides: the owner, and everything that the application receives.
package struct ThirdPartyFacts: Sendable {
    let application: String
    let scopes: [String]
    /// The names of the APIs that the application gets access to, each with its scopes.
    let apis: [(name: String, scopes: [String])]

    package init(application: String, scopes: [String], apis: [(name: String, scopes: [String])]) {
        (self.application, self.scopes, self.apis) = (application, scopes, apis)
    }

    /// The values for `template`.
    package func content(in frame: PageFrame) -> [String: Any] {
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
        let values: [Text.Placeholder: String] = [.application: application, .organization: frame.brand?.name ?? ""]
        return [
            "owner": frame.content(.applicationIsOfThirdParty, values), "receives": frame.language.text(.applicationReceives),
            "received": received.map { ["item": $0] },
        ]
    }

    package static let template = """
        <p>{{#owner}}{{>text}}{{/owner}}</p>
        <p>{{receives}}</p>
        <ul class="list">
        {{#received}}
        <li>{{#item}}{{>text}}{{/item}}</li>
        {{/received}}
        </ul>
        """
}
