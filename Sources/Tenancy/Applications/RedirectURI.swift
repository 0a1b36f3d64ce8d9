import Encoding
import Foundation

/// The rules for redirect URIs, and their comparison. A logout URI has the same form.
package enum RedirectURI {
    /// The reason for refusing a URI, or nil.
    ///
    /// Permitted are https, http on a loopback address, and a private-use scheme with a dot (RFC 8252, section 7.1). A fragment (RFC 6749,
    /// section 3.1.2), user information and a wildcard are refused.
    ///
    /// The two patterns are the same as in openapi.yaml. The code after them only selects the message.
    package static func refusal(of uri: String) -> String? {
        // This check comes before the patterns, because a comparison of strings treats a Kelvin sign as a K.
        guard (1...2000).contains(uri.utf8.count), uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return "is not an absolute URI" }
        if uri.wholeASCIIMatch(of: web) != nil || uri.wholeASCIIMatch(of: privateUse) != nil { return nil }
        guard !uri.contains("#") else { return "must not have a fragment" }
        guard let colon = uri.firstIndex(of: ":") else { return "is not an absolute URI" }
        let authority = uri[colon...].dropFirst(3).prefix { $0 != "/" && $0 != "?" }
        switch uri[..<colon] {
        case "https", "http":
            if authority.contains("@") { return "must not contain a user" }
            if uri.hasPrefix("http:") { return "must use https, because its host is not a loopback address" }
            return "has no host, or has a character that must be percent-encoded"
        case let scheme where scheme.contains("."): return "has a character that must be percent-encoded"
        default: return "has a scheme that other programs can claim. Use https or a reverse domain name such as com.example.app"
        }
    }

    // These are computed, because a `Regex` cannot be shared. They ignore white space in the pattern.
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

    /// Whether a valid URI has a private-use scheme, which a program on a device claims.
    static func isPrivateUse(_ uri: String) -> Bool {
        !uri.hasPrefix("https://") && !uri.hasPrefix("http://")
    }

    /// The origin of a valid URI in the form that a browser sends (RFC 6454, section 6.2). Nil for a private-use scheme.
    package static func origin(of uri: String) -> String? {
        guard !isPrivateUse(uri), let parts = URLComponents(string: uri), let scheme = parts.scheme, let host = parts.host
        else { return nil }
        let port = parts.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
        return "\(scheme)://\(host.lowercased())\(port)"
    }

    /// Whether two URIs on the same loopback address differ only in the port.
    static func isSameLoopback(_ registered: String, _ requested: String) -> Bool {
        guard registered.hasPrefix("http://"), requested.hasPrefix("http://"), refusal(of: requested) == nil,
            var a = URLComponents(string: registered), var b = URLComponents(string: requested),
            // Only the addresses themselves have a free port, because `localhost` may resolve to another address.
            let host = a.host, host == "127.0.0.1" || host == "[::1]", b.port.map({ (1...65535).contains($0) }) ?? true
        else { return false }
        (a.port, b.port) = (nil, nil)
        return (a.string ?? "").isSame(as: b.string ?? "")
    }

    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "127.0.0.1" || host == "[::1]" || host == "::1"
    }
}
