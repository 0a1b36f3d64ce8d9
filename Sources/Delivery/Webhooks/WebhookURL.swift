import Encoding
import Foundation
import Web

/// The rules for the URL of an endpoint: https and a host with a name in the DNS, as in the pattern of the spec. A development server also
/// accepts http and any host. Each delivery checks whether the name resolves to a permitted address.
package enum WebhookURL {
    /// The reason for refusing the URL, or nil.
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
