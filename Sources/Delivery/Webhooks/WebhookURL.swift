import Foundation
import Web

/// Where an endpoint may be: https, at a host with a name in the DNS, as the spec's pattern says it. A development server takes http
/// and any host besides. Whether the name leads to an address that may be reached is found out at each delivery.
package enum WebhookURL {
    /// What is wrong with it, or nil.
    package static func refusal(of text: String, allowsPrivate: Bool) -> String? {
        if text.wholeASCIIMatch(of: pattern) != nil { return nil }
        if allowsPrivate, isForDevelopment(text) { return nil }
        return
            "It must be an https URL of a host with a domain name, such as https://hooks.example.com/espalier, without a user or a fragment."
    }

    // Regex is not Sendable, and this one never changes.
    nonisolated(unsafe) private static let pattern =
        /https:\/\/([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?(\/([A-Za-z0-9._~!$&'()*+,;=:@\/-]|%[0-9A-Fa-f]{2})*)?(\?([A-Za-z0-9._~!$&'()*+,;=:@\/?-]|%[0-9A-Fa-f]{2})*)?/

    private static func isForDevelopment(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let parts = URLComponents(string: text),
            parts.scheme == "http" || parts.scheme == "https", let host = HostName.inURL(text), HostName.isHost(host),
            parts.user == nil, parts.password == nil, parts.fragment == nil, parts.port.map({ (1...65535).contains($0) }) ?? true
        else { return false }
        return true
    }
}
