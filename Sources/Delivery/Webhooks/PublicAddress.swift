#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Decides whether an address is public on the Internet. A webhook goes only to such an address. With others, a tenant could make this server
/// send requests into its own network.
///
/// IANA's registries of special-purpose addresses (RFC 6890 and its updates) list the addresses that are not public. An IPv6 address that
/// contains an IPv4 address is judged by the IPv4 address.
package enum PublicAddress {
    /// Whether an address is public.
    /// - Parameter bytes: 4 or 16 bytes, in network order.
    package static func isPublic(_ bytes: [UInt8]) -> Bool {
        switch bytes.count {
        case 4: isPublicV4(bytes)
        case 16: isPublicV6(bytes)
        default: false
        }
    }

    private static func isPublicV4(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _): false
        // Shared by a carrier's customers (RFC 6598).
        case (100, 64...127, _): false
        // Link-local addresses, used by clouds for their metadata.
        case (169, 254, _): false
        case (172, 16...31, _), (192, 168, _): false
        // Protocol assignments, documentation, 6to4 relays, benchmarks.
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 18...19, _), (198, 51, 100), (203, 0, 113): false
        // Multicast, reserved, broadcast.
        case (224..., _, _): false
        default: true
        }
    }

    private static func isPublicV6(_ bytes: [UInt8]) -> Bool {
        func starts(_ prefix: UInt8...) -> Bool { bytes.starts(with: prefix) }
        // ::ffff:0:0/96, IPv4-mapped addresses.
        if starts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF) { return isPublicV4(Array(bytes[12...])) }
        // 64:ff9b::/96, NAT64 (RFC 6052).
        if starts(0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0) { return isPublicV4(Array(bytes[12...])) }
        // 2002::/16, 6to4.
        if starts(0x20, 0x02) { return isPublicV4(Array(bytes[2..<6])) }
        // 2001::/23 is for protocols (for example Teredo). 2001:db8::/32 and 3fff::/20 are for documentation.
        if starts(0x20, 0x01), bytes[2] < 2 { return false }
        if starts(0x20, 0x01, 0x0D, 0xB8) || starts(0x3F, 0xFF) && bytes[2] < 0x10 { return false }
        // Global unicast is 2000::/3. All other addresses are ::, ::1, fc00::/7, fe80::/10, ff00::/8 or unassigned.
        return bytes[0] & 0xE0 == 0x20
    }

    /// The bytes of a literal in the form of `getaddrinfo`. Nil for every other text.
    package static func bytes(of literal: String) -> [UInt8]? {
        // The C function stops at a NUL byte.
        guard !literal.utf8.contains(0) else { return nil }
        var (v4, v6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, literal, &v4) == 1 { return withUnsafeBytes(of: &v4) { Array($0) } }
        if inet_pton(AF_INET6, literal, &v6) == 1 { return withUnsafeBytes(of: &v6) { Array($0) } }
        return nil
    }
}
