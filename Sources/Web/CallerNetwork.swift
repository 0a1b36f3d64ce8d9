#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The addresses that one caller controls. Limits count per caller network.
package enum CallerNetwork {
    /// The IPv4 address itself, or the /64 of an IPv6 address, because a provider gives each customer at least a /64.
    package static func of(_ address: String?) -> String { network(of: address, bytesOfIPv6: 8) }

    /// The same with the /48 of an IPv6 address, which a provider often gives to one customer. For a limit that a few callers could use up.
    package static func site(of address: String?) -> String { network(of: address, bytesOfIPv6: 6) }

    private static func network(of address: String?, bytesOfIPv6: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard let address, inet_pton(AF_INET6, address, &bytes) == 1 else { return address ?? "" }
        // An IPv4-mapped address (RFC 4291, section 2.5.5.2).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return bytes.suffix(4).map(String.init).joined(separator: ".")
        }
        return bytes.prefix(bytesOfIPv6).map { String($0, radix: 16) }.joined(separator: ":")
    }
}
