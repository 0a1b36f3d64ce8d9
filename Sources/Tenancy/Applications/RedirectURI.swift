import Foundation
import Web

/// What a redirect URI may be, and when two are the same. A logout URI is of the same form.
package enum RedirectURI {
    /// Why a URI cannot be registered; nil when it can: https, http on a loopback address, or a
    /// private-use scheme with a dot in it (RFC 8252, section 7.1). Never a fragment (RFC 6749, 3.1.2),
    /// user information or a wildcard.
    ///
    /// The two patterns are those of openapi.yaml; what follows them only finds the words.
    package static func refusal(of uri: String) -> String? {
        // Before the patterns: to them, as to any comparison of strings, a Kelvin sign is a K.
        guard (1...2000).contains(uri.utf8.count), uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return "is not an absolute URI" }
        if uri.wholeASCIIMatch(of: web) != nil || uri.wholeASCIIMatch(of: privateUse) != nil { return nil }
        guard !uri.contains("#") else { return "must not have a fragment" }
        guard let colon = uri.firstIndex(of: ":") else { return "is not an absolute URI" }
        let authority = uri[colon...].dropFirst(3).prefix { $0 != "/" && $0 != "?" }
        switch uri[..<colon] {
        case "https", "http":
            if authority.contains("@") { return "must not name a user" }
            if uri.hasPrefix("http:") { return "must be https, since its host is not a loopback address" }
            return "has no host, or has a character that must be percent-encoded"
        case let scheme where scheme.contains("."): return "has a character that must be percent-encoded"
        default: return "has a scheme that other programs may claim: use https, or a reverse domain name such as com.example.app"
        }
    }

    // Computed: a `Regex` cannot be shared. White space means nothing in them.
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

    /// Whether one that can be registered has a scheme of its own, which a program on a device claims.
    static func isPrivateUse(_ uri: String) -> Bool {
        !uri.hasPrefix("https://") && !uri.hasPrefix("http://")
    }

    /// The origin of what is there, as a browser writes it (RFC 6454, section 6.2): of one that can be registered; nil where it
    /// has a scheme of its own.
    package static func origin(of uri: String) -> String? {
        guard !isPrivateUse(uri), let parts = URLComponents(string: uri), let scheme = parts.scheme, let host = parts.host
        else { return nil }
        let port = parts.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
        return "\(scheme)://\(host.lowercased())\(port)"
    }

    /// Equal but for the port, on the same loopback address.
    static func isSameLoopback(_ registered: String, _ requested: String) -> Bool {
        guard registered.hasPrefix("http://"), requested.hasPrefix("http://"), refusal(of: requested) == nil,
            var a = URLComponents(string: registered), var b = URLComponents(string: requested),
            // `localhost` may resolve elsewhere: only the addresses themselves have a free port.
            let host = a.host, host == "127.0.0.1" || host == "[::1]", b.port.map({ (1...65535).contains($0) }) ?? true
        else { return false }
        (a.port, b.port) = (nil, nil)
        return (a.string ?? "").isSame(as: b.string ?? "")
    }

    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "127.0.0.1" || host == "[::1]" || host == "::1"
    }
}
