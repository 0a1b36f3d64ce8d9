import Access
import Encoding
import Tenancy
import Web

/// The members of a request that describe an API, each validated individually. Absent members change nothing.
struct APIFields: Sendable {
    let name: String?
    let scopes: [String]?
    let accessTokenSeconds: Int?
    let permissions: [API.Permission]?

    /// - Parameter isNew: whether an API is being created, which requires a name.
    init(_ fields: inout JSONFields, isNew: Bool) {
        name = fields.text("name", isRequired: isNew)
        let scopes = fields.texts("scopes", count: 0...100, refusal: Self.refusal(ofScope:))
        let seconds = fields.integer("access_token_seconds", 60...86400)
        let permissions = fields.objects("applications", count: 0...API.mostPermissions) { fields in
            let id = fields.text("id", isRequired: true) { ID<Tenancy.Application>($0) == nil ? "It must be an application's ID." : nil }
            let scopes = fields.texts("scopes", count: 0...100, refusal: Self.refusal(ofScope:))
            return id.flatMap { ID<Tenancy.Application>($0) }.map { API.Permission(application: $0, scopes: scopes) }
        }?.compactMap(\.self)
        if let permissions, Set(permissions.map(\.application)).count < permissions.count {
            fields.refuse("applications", "An application occurs twice. Remove one.")
        }
        // Null resets to the default: no scope, 3600 s, no application.
        self.scopes = fields.isNull("scopes") ? [] : scopes
        accessTokenSeconds = fields.isNull("access_token_seconds") ? API.defaultAccessTokenSeconds : seconds
        self.permissions = fields.isNull("applications") ? [] : permissions
    }

    func applied(to api: API) -> API {
        var changed = api
        if let name { changed.name = name }
        if let scopes { changed.scopes = scopes }
        if let accessTokenSeconds { changed.accessTokenSeconds = accessTokenSeconds }
        // The order is that of the database.
        if let permissions { changed.permissions = permissions.sorted { $0.application.uuid < $1.application.uuid } }
        return changed
    }

    /// The reason for refusing a scope, or nil (RFC 6749, section 3.3).
    static func refusal(ofScope scope: String) -> String? {
        guard (1...100).contains(scope.utf8.count),
            scope.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { return "A scope has 1 to 100 printable ASCII characters, without a space, \" and \\." }
        guard !reserved.has(scope) else { return "OpenID Connect uses this scope. Choose another name, for example `orders:read`." }
        return nil
    }

    /// The scopes of OpenID Connect Core, sections 3.1.2.1, 5.4 and 11.
    private static let reserved = ["openid", "profile", "email", "address", "phone", "offline_access"]
}

extension API {
    /// The fields that contradict each other. Permitted scopes must be scopes of the API.
    var contradictions: [Problem.Field] {
        permissions.enumerated().compactMap { index, permission in
            guard let unknown = permission.scopes?.first(where: { !scopes.has($0) }) else { return nil }
            return .init("applications[\(index)].scopes", "The API has no scope `\(unknown)`. Add it to `scopes`, or remove it here.")
        }
    }
}
