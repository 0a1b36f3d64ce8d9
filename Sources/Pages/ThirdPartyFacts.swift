/// The facts about an application of a third party for a person who decides: the owner, and everything that the application receives.
package struct ThirdPartyFacts: Sendable {
    let application: String
    let scopes: [String]
    /// The names of the APIs that the application gets access to, each with its scopes.
    let apis: [(name: String, scopes: [String])]

    /// Whether the application gets a refresh token.
    let isOffline: Bool

    package init(application: String, scopes: [String], apis: [(name: String, scopes: [String])], isOffline: Bool) {
        (self.application, self.scopes, self.apis, self.isOffline) = (application, scopes, apis, isOffline)
    }

    /// The values for `template`.
    package func content(in frame: PageFrame) -> [String: Any] {
        var received = [frame.content(.receivesUserID)]
        let named: [(String, Text)] = [("profile", .receivesName), ("email", .receivesEmail)]
        for (scope, text) in named where scopes.contains(where: { $0.utf8.elementsEqual(scope.utf8) }) {
            received.append(frame.content(text))
        }
        if isOffline { received.append(frame.content(.receivesOfflineAccess)) }
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
