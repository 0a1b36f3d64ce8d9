import Delivery

/// The network of a request, for the person who decides about a device.
package struct RequestNetwork: Equatable {
    /// 4 bytes of an IPv4 address, or the first 6 of an IPv6 address: a /48, which a provider often gives to one customer.
    private let bytes: [UInt8]

    /// Nil unless the address is one of the public internet. An address of a private network, of a proxy or of this machine says nothing
    /// about the place of the device.
    package init?(public address: String?) {
        guard let address, let found = PublicAddress.bytes(of: address), PublicAddress.isPublic(found) else { return nil }
        // An IPv4-mapped address (RFC 4291, section 2.5.5.2) is the IPv4 address.
        let isMapped = found.count == 16 && found.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        bytes = isMapped ? Array(found.suffix(4)) : found.count == 4 ? found : Array(found.prefix(6))
    }

    /// Whether two networks differ for certain. A device and a browser in one network may use IPv4 and IPv6.
    package func differs(from other: RequestNetwork) -> Bool { bytes.count == other.bytes.count && bytes != other.bytes }
}
