import Encoding

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The name or address of a host, in the `Host` header, a webhook's URL or a setting. It is read as bytes, before any library decodes it.
package enum HostName {
    /// Whether it is a name of `A-Z a-z 0-9 - _ .`, an IPv4 address, or an IPv6 address in brackets.
    ///
    /// RFC 3986 permits percent-encoded bytes in a name. No reachable host has them, and a decoded `%00` or `%0d%0a` misleads the
    /// next reader of the name.
    package static func isHost(_ host: some StringProtocol) -> Bool {
        let bytes = Array(host.utf8)
        guard (1...255).contains(bytes.count) else { return false }
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
            var address = [UInt8](repeating: 0, count: 16)
            let text = bytes.dropFirst().dropLast()
            guard text.allSatisfy(\.isPartOfAddress) else { return false }
            return inet_pton(AF_INET6, String(decoding: text, as: UTF8.self), &address) == 1
        }
        return bytes.allSatisfy(\.isPartOfName)
    }

    /// Whether it is a host with or without a port (RFC 9112, section 3.2).
    package static func isHostWithPort(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        // The colons of an IPv6 address are inside the brackets.
        let end = bytes.lastIndex(of: UInt8(ascii: "]")) ?? 0
        guard let colon = bytes[min(end, bytes.count)...].lastIndex(of: UInt8(ascii: ":")) else { return isHost(text) }
        let port = bytes[(colon + 1)...]
        guard port.count <= 5, port.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return false }
        return isHost(String(decoding: bytes[..<colon], as: UTF8.self))
    }

    /// The host of a `Host` header for comparisons: in lower case, without a port and without the dot of the root. Nil for an address.
    package static func name(in authority: some StringProtocol) -> String? {
        guard isHostWithPort(authority), authority.utf8.first != UInt8(ascii: "[") else { return nil }
        var bytes = Array(authority.utf8.prefix { $0 != UInt8(ascii: ":") })
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        let isAddress = bytes.allSatisfy { $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isAddress ? nil : String(decoding: bytes, as: UTF8.self).asciiLowercased
    }

    /// Whether two hosts are the same, each with or without a port. Case and the port do not count.
    static func isSame(_ one: some StringProtocol, as other: some StringProtocol) -> Bool {
        guard let one = withoutPort(one), let other = withoutPort(other) else { return false }
        return one.isSame(as: other)
    }

    /// In lower case. Nil for a text that is not a host with or without a port.
    private static func withoutPort(_ authority: some StringProtocol) -> String? {
        guard isHostWithPort(authority) else { return nil }
        let bytes = Array(authority.utf8)
        // The colons of an IPv6 address are inside the brackets.
        let end = bytes.lastIndex(of: UInt8(ascii: "]")) ?? 0
        let host = bytes[..<(bytes[end...].firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex)]
        return String(decoding: host, as: UTF8.self).asciiLowercased
    }

    /// The origin of another host that the same load balancer serves: with the scheme and the port of this URL.
    package static func origin(of host: String, like url: String) -> String {
        let bytes = Array(url.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return "https://\(host)" }
        let authority = bytes[colon...].dropFirst(3).prefix { $0 != UInt8(ascii: "/") }
        let end = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        let port = authority[end...].lastIndex(of: UInt8(ascii: ":")).map { authority[$0...] } ?? []
        return String(decoding: bytes[..<colon], as: UTF8.self) + "://" + host + String(decoding: port, as: UTF8.self)
    }

    /// Returns the host of a URL in the URL's spelling; nil if the URL has no host or also has a user name.
    package static func inURL(_ url: some StringProtocol) -> String? {
        let bytes = Array(url.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[(colon + 1)...].starts(with: "//".utf8) else { return nil }
        let authority = bytes[(colon + 3)...].prefix { !"/?#\\".utf8.contains($0) }
        guard !authority.contains(UInt8(ascii: "@")) else { return nil }
        let end = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
        let host = authority[end...].lastIndex(of: UInt8(ascii: ":")).map { authority[..<$0] } ?? authority
        return String(validating: host, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isPartOfName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    fileprivate var isPartOfAddress: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: ":"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
