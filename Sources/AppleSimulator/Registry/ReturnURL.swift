import Foundation

/// What Apple's portal asks of a Return URL.
enum ReturnURL {
    /// Why the portal would not take the URL; nil when it takes it.
    ///
    /// Apple wants https and a domain name. A laptop has neither, so `allowsLoopback` lets http through for `localhost`,
    /// `*.localhost` and 127.0.0.1, and nothing else.
    static func refusal(of url: String, allowsLoopback: Bool) -> String? {
        guard let parsed = URL(string: url), let scheme = parsed.scheme, let host = parsed.host(), !host.isEmpty else {
            return "must be an absolute URL"
        }
        guard !url.utf8.contains(UInt8(ascii: "#")) else { return "must have no fragment" }
        let isLoopback = host == "localhost" || host.utf8.suffix(10).elementsEqual(".localhost".utf8) || host == "127.0.0.1"
        if isLoopback && allowsLoopback && (scheme == "http" || scheme == "https") { return nil }
        guard scheme == "https" else { return "must be https" }
        guard !isLoopback else { return "must not be localhost" }
        guard host.utf8.contains(UInt8(ascii: ".")), !host.utf8.contains(UInt8(ascii: ":")), host.contains(where: \.isLetter) else {
            return "must have a domain name, not an IP address"
        }
        return nil
    }
}
