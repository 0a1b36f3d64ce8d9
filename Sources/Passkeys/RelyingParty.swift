import Crypto
import Encoding

/// The site that passkeys belong to, and its pages that may use them (Level 3, section 4: relying party identifier).
package struct RelyingParty: Sendable {
    /// The RP ID: the host of the pages, or a domain above it. A passkey works only with the RP ID of its registration, so a change of it
    /// makes all passkeys useless.
    package let id: String
    /// The name that a browser shows.
    package let name: String
    /// The origins of the pages, as a browser writes them, such as `https://login.example.com`.
    package let origins: [String]
    let idHash: [UInt8]

    /// Nil if an origin is not one that a browser accepts for this RP ID: `https` with a host name, or `http` with `localhost`. An IP
    /// address has no passkeys.
    /// - Parameter id: Default: the host of the first origin.
    package init?(name: String, id: String? = nil, origins: [String]) {
        let hosts = origins.compactMap(Self.host)
        guard hosts.count == origins.count, let id = id ?? hosts.first, !id.isEmpty,
            hosts.allSatisfy({ $0.isSame(as: id) || $0.utf8.suffix(id.utf8.count + 1).elementsEqual(".\(id)".utf8) })
        else { return nil }
        (self.id, self.name, self.origins) = (id, name, origins)
        idHash = Array(SHA256.hash(data: Array(id.utf8)))
    }

    /// The host of an origin (RFC 6454, section 6.2). Nil if a browser would not write it in this way.
    private static func host(of origin: String) -> String? {
        let bytes = Array(origin.utf8)
        let isSecure = bytes.starts(with: "https://".utf8)
        guard isSecure || bytes.starts(with: "http://".utf8) else { return nil }
        let authority = bytes[(isSecure ? 8 : 7)...]
        let end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        let (labels, port) = (authority[..<end].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false), authority[end...])
        let (digits, letters) = (UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"))
        guard
            labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-") } }),
            // The last label of an IP address is a number.
            let last = labels.last, !last.allSatisfy(digits.contains),
            isSecure || last.elementsEqual("localhost".utf8),
            // A browser leaves out the port of the scheme.
            port.isEmpty
                || port.count > 1 && port.dropFirst().allSatisfy(digits.contains) && !port.elementsEqual((isSecure ? ":443" : ":80").utf8)
        else { return nil }
        return String(decoding: authority[..<end], as: UTF8.self)
    }
}
