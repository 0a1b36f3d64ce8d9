import Delivery
import Encoding
import Foundation

/// The address of a recursive DNS resolver: an IP address and a port.
package struct ResolverAddress: Sendable, Equatable, CustomStringConvertible {
    let host: String
    let port: Int

    package var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Reads an IPv4 address, or an IPv6 address in brackets, with or without a port. Nil for every other text.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        var host = bytes[...]
        var port = bytes[bytes.endIndex...]
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            (host, port) = (bytes[1..<end], bytes[(end + 1)...])
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            (host, port) = (bytes[..<colon], bytes[colon...])
        }
        let number = String(decoding: port.dropFirst(), as: UTF8.self)
        guard port.isEmpty || port.first == UInt8(ascii: ":") && number.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let portNumber = port.isEmpty ? 53 : Int(number), (1...65535).contains(portNumber)
        else { return nil }
        self.init(host: String(decoding: host, as: UTF8.self), port: portNumber)
    }

    private init?(host: String, port: Int) {
        guard Self.isAddress(host) else { return nil }
        (self.host, self.port) = (host, port)
    }

    /// The resolvers of the system in their order, at most 3 as in the system itself (resolv.conf(5)). Without one, resolv.conf means this
    /// machine.
    package static func ofSystem(file: String = "/etc/resolv.conf") -> [ResolverAddress] {
        let lines = (FileManager.default.contents(atPath: file) ?? Data()).prefix(65_536).split(separator: UInt8(ascii: "\n"))
        let found = lines.compactMap { line -> ResolverAddress? in
            let words = String(decoding: line, as: UTF8.self).parts(at: " ").flatMap { $0.parts(at: "\t") }
            guard words.count >= 2, words[0].isSame(as: "nameserver") else { return nil }
            return ResolverAddress(host: String(words[1]), port: 53)
        }
        return found.isEmpty ? [ResolverAddress(host: "127.0.0.1", port: 53)!] : Array(found.prefix(3))
    }

    private static func isAddress(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && PublicAddress.bytes(of: text) != nil
    }
}
