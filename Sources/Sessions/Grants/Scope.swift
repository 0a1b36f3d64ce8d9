import Encoding

/// The scopes of a login, as text separated by spaces (RFC 6749, section 3.3).
package enum Scope {
    /// The scopes that Espalier supports.
    static let supported = ["openid", "profile", "email", offlineAccess]
    /// The scope that requests a refresh token (OpenID Connect Core, section 11).
    static let offlineAccess = "offline_access"
    /// All scopes, for an interface whose clients name none and need a refresh token.
    package static let all = supported.joined(separator: " ")
    /// The scopes of a request that does not name any.
    static let byDefault = "openid profile email"
    package static let refusal =
        "scope has none of \(supported.joined(separator: ", ")). Send at least one, or omit scope. The scopes of an API need resource."
    /// The maximum length of a granted scope, in bytes. A code has room for it.
    package static let longest = 1000

    /// The supported scopes of a request (OpenID Connect Core, section 3.1.2.1). It is nil if the request names only other scopes. Nothing
    /// can be granted then, which is `invalid_scope`.
    /// - Parameter apis: the APIs that the request names. Without a scope, it also gets all scopes that they permit.
    package static func granted(for asked: String?, apis: [TokenTarget.NamedAPI] = []) -> String? {
        // The list is searched once per supported scope, so it costs less than a set.
        let names = (asked ?? "").parts(at: " ")
        guard !apis.isEmpty else { return granted(names, from: supported, byDefault: byDefault) }
        // Two APIs may have a scope of the same name.
        var seen: Set<String> = []
        let permitted = apis.flatMap(\.scopes).filter { seen.insert($0).inserted }
        return granted(names, from: supported + permitted, byDefault: ([byDefault] + permitted).joined(separator: " "))
    }

    private static func granted(_ names: [Substring], from supported: [String], byDefault: String) -> String? {
        guard !names.isEmpty else { return byDefault }
        let granted = supported.filter { names.has($0) }
        return granted.isEmpty ? nil : granted.joined(separator: " ")
    }

    /// A scope in a response. It is nil instead of an empty text, because a scope has at least one token.
    static func shown(_ scope: String) -> String? {
        scope.isEmpty ? nil : scope
    }
}
