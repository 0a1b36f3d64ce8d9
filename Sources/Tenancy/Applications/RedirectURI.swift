import Foundation

/// What a redirect URI may be, and when two are the same.
package enum RedirectURI {
    /// Why a URI cannot be registered; nil when it can: https, http on a loopback address, or a
    /// private-use scheme with a dot in it (RFC 8252, section 7.1). Never a fragment (RFC 6749, 3.1.2),
    /// user information or a wildcard.
    package static func refusal(of uri: String) -> String? {
        guard uri.utf8.count <= 2000, uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !uri.contains("\\"),
            let parts = URLComponents(string: uri), let scheme = parts.scheme
        else { return "is not an absolute URI" }
        guard parts.fragment == nil else { return "must not have a fragment" }
        guard parts.user == nil, parts.password == nil else { return "must not name a user" }
        switch scheme.lowercased() {
        case "https":
            guard let host = parts.host, !host.isEmpty, !host.contains("*") else { return "has no host" }
        case "http":
            guard let host = parts.host, isLoopback(host) else { return "must be https, since its host is not a loopback address" }
        case let other where other.contains("."):
            break
        default:
            return "has a scheme that other programs may claim: use https, or a reverse domain name such as com.example.app"
        }
        return nil
    }

    /// Equal but for the port, on the same loopback address.
    static func isSameLoopback(_ registered: String, _ requested: String) -> Bool {
        guard registered.hasPrefix("http://"), requested.hasPrefix("http://"), refusal(of: requested) == nil,
            var a = URLComponents(string: registered), var b = URLComponents(string: requested),
            // `localhost` may resolve elsewhere: only the addresses themselves have a free port.
            let host = a.host, host == "127.0.0.1" || host == "[::1]"
        else { return false }
        (a.port, b.port) = (nil, nil)
        return a.string == b.string
    }

    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "127.0.0.1" || host == "[::1]" || host == "::1"
    }
}
