/// The scopes of a login, as text with a space between them (RFC 6749, section 3.3).
package enum Scope {
    /// The scopes that have an effect here.
    static let supported = ["openid", "profile", "email", "offline_access"]
    /// The scopes of a request that names none.
    static let byDefault = "openid profile email"
    package static let refusal = "scope names none of \(supported.joined(separator: ", ")). Send one of them, or leave scope out."

    /// The scopes that a request gets: the supported ones of those that it names (OpenID Connect Core, section 3.1.2.1). Nil where it
    /// names others only: then nothing could be granted, which is `invalid_scope`.
    package static func granted(for asked: String?) -> String? {
        let names = Set((asked ?? "").utf8.split(separator: UInt8(ascii: " ")).map { Array($0) })
        guard !names.isEmpty else { return byDefault }
        let granted = supported.filter { names.contains(Array($0.utf8)) }
        return granted.isEmpty ? nil : granted.joined(separator: " ")
    }

    /// A scope as responses show it: no empty text, because a scope has at least one token.
    static func shown(_ scope: String) -> String? {
        scope.isEmpty ? nil : scope
    }
}
