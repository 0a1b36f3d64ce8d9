/// Checks redirect URIs before they are sent. The patterns are the same as in the API, without the forms for development. Only
/// `applications register` and `applications update` allow these, and the server checks them.
enum RedirectURI {
    /// The reason why a URI cannot be registered. Nil if its form is allowed.
    /// - Parameter kind: the kind of the application. Nil if it is unknown.
    static func refusal(of uri: String, _ kind: ApplicationKind?) -> String? {
        let isPrivateUse = uri.wholeASCIIMatch(of: privateUse) != nil
        if uri.utf8.count <= 2000, uri.wholeASCIIMatch(of: web) != nil || isPrivateUse && (kind == nil || kind == .native) { return nil }
        return "A redirect URI is an https address, or http at localhost, 127.0.0.1 or [::1], without a fragment."
            + " An application of the kind native may have a scheme with a period, such as com.example.shop:/callback."
    }

    /// Whether a requested URI is a registered one.
    /// - Parameter isForDevelopment: whether the application allows URIs for development.
    static func matches(_ registered: String, _ requested: String, isForDevelopment: Bool) -> Bool {
        guard !hasWildcard(registered) else { return isForDevelopment && isSameExceptLabel(registered, requested) }
        return registered.isSame(as: requested) || isSameLoopback(registered, requested, allowsName: isForDevelopment)
    }

    /// Whether the first label of the host is a wildcard. No request can contain such a URI.
    static func hasWildcard(_ registered: String) -> Bool {
        registered.utf8.starts(with: "https://*.".utf8)
    }

    /// Whether two URIs differ only in the label at the wildcard.
    private static func isSameExceptLabel(_ registered: String, _ requested: String) -> Bool {
        guard let match = requested.wholeASCIIMatch(of: labeled) else { return false }
        return match.rest.utf8.elementsEqual(registered.utf8.dropFirst("https://*".utf8.count))
    }

    /// Whether two URIs are equal except for the port of a loopback address. The application chooses this port (RFC 8252, section 7.3).
    /// `localhost` may resolve to another address, so its port must match unless `allowsName`.
    private static func isSameLoopback(_ registered: String, _ requested: String, allowsName: Bool) -> Bool {
        guard let one = registered.wholeASCIIMatch(of: loopback), let other = requested.wholeASCIIMatch(of: loopback),
            other.port.map({ (1...65_535).contains(Int($0) ?? 0) }) ?? true
        else { return false }
        return one.host == other.host && one.rest == other.rest && (allowsName || one.host != "localhost")
    }

    // These properties are computed because a `Regex` is not Sendable. White space in the patterns is ignored.
    private static var web: Regex<Substring> {
        #/
        (?:https://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|http://(?:localhost|127\.0\.0\.1|\[::1\]))
        (?::[0-9]{1,5})?
        (?:[\/?](?:[A-Za-z0-9._~:\/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?
        /#
    }

    private static var privateUse: Regex<Substring> {
        #/
        [A-Za-z][A-Za-z0-9+-]*(?:\.[A-Za-z0-9+-]+)+:
        (?:[A-Za-z0-9._~:\/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*
        /#
    }

    private static var labeled: Regex<(Substring, rest: Substring)> {
        #/https://[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?<rest>\..*)/#
    }

    private static var loopback: Regex<(Substring, host: Substring, port: Substring?, rest: Substring)> {
        #/http://(?<host>127\.0\.0\.1|\[::1\]|localhost)(?::(?<port>[0-9]{1,5}))?(?<rest>(?:[\/?].*)?)/#
    }
}
