#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif
import Encoding
import Web

/// The network of a request, for the limits of the device grant and for the person who decides.
struct RequestNetwork: Equatable {
    /// 4 bytes of an IPv4 address, or the first 6 of an IPv6 address: a /48, which a provider often gives to one customer.
    private let bytes: [UInt8]

    /// Nil unless the address is one of the public internet. An address of a private network, of a proxy or of this machine says nothing
    /// about the place of the device.
    init?(public address: String?) {
        guard let address, let parsed = Self.parse(address), Self.isPublic(parsed) else { return nil }
        bytes = parsed.count == 4 ? parsed : Array(parsed.prefix(6))
    }

    /// Whether two networks differ for certain. A device and a browser in one network may use IPv4 and IPv6.
    func differs(from other: RequestNetwork) -> Bool { bytes.count == other.bytes.count && bytes != other.bytes }

    /// The key of a limit: the IPv4 address, or the /48 of an IPv6 address.
    static func limited(_ address: String?) -> String {
        guard let address, let parsed = parse(address) else { return address ?? "" }
        guard parsed.count == 16 else { return parsed.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 6, by: 2).map { String(UInt16(parsed[$0]) << 8 | UInt16(parsed[$0 + 1]), radix: 16) }
        return groups.joined(separator: ":") + "::/48"
    }

    /// 4 or 16 bytes. An IPv4-mapped address (RFC 4291, section 2.5.5.2) is the IPv4 address.
    private static func parse(_ address: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, address, &bytes) == 1 { return Array(bytes.prefix(4)) }
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return nil }
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return isMapped ? Array(bytes.suffix(4)) : bytes
    }

    /// IPv6 addresses of the public internet are in 2000::/3 (RFC 4291, section 2.4). The networks of IPv4 are those of RFC 6890.
    private static func isPublic(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 4 else { return bytes[0] & 0xE0 == 0x20 }
        return switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (127, _), (100, 64...127), (169, 254), (172, 16...31), (192, 168): false
        default: bytes[0] < 224
        }
    }
}
