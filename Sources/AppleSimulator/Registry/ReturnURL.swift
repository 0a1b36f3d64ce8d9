import Foundation

/// The rules of Apple's portal for a Return URL.
enum ReturnURL {
    /// Returns the reason why the portal rejects the URL; nil if it accepts it.
    ///
    /// Apple requires https and a domain name. A development machine has neither. So `allowsLoopback` also permits http,
    /// but only for `localhost`, `*.localhost` and 127.0.0.1.
    static func refusal(of url: String, allowsLoopback: Bool) -> String? {
        guard let parsed = URL(string: url), let scheme = parsed.scheme, let host = parsed.host(), !host.isEmpty else {
            return "must be an absolute URL"
        }
        guard !url.utf8.contains(UInt8(ascii: "#")) else { return "must not have a fragment" }
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
