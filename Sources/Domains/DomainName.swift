import Encoding
import Web

/// The rules for the host name of a tenant's domain. It is read by bytes.
package enum DomainName {
    /// The reason for refusing a host, or nil.
    /// - Parameter publicURL: the server's own URL. Its host and all hosts below it serve all tenants.
    static func refusal(of host: String, publicURL: String) -> String? {
        if let refusal = refusal(of: host, below: DomainProof.recordPrefix) { return refusal }
        guard let own = HostName.inURL(publicURL)?.asciiLowercased, !host.isSame(as: own), !isBelow(host, own)
        else { return "It must not be the host of this server, or below it." }
        return nil
    }

    /// The reason for refusing the name of any domain, or nil.
    /// - Parameter prefix: the start of the name of its TXT record, which is longer. A name has up to 253 bytes (RFC 1035, section 2.3.4,
    ///   without the lengths and the root).
    package static func refusal(of host: String, below prefix: String) -> String? {
        let longest = 253 - prefix.utf8.count
        let labels = host.parts(at: ".", includingEmpty: true)
        guard (1...longest).contains(host.utf8.count), labels.count >= 2, labels.allSatisfy(isLabel),
            // RFC 3696, section 2: the last label is not a number, as in an IPv4 address.
            labels.last?.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) == false
        else {
            return """
                It must be a host name of at least 2 labels in lower case, without a port, up to \(longest) bytes. A label has 1 to 63 \
                characters of a-z, 0-9 and -, and neither starts nor ends with -. Write an international name in its ASCII form (xn--…).
                """
        }
        return nil
    }

    private static func isBelow(_ host: String, _ parent: String) -> Bool {
        let end = Array(("." + parent).utf8)
        return host.utf8.count > end.count && host.utf8.suffix(end.count).elementsEqual(end)
    }

    /// A label of letters, digits and hyphens (RFC 5890, section 2.3.1), in lower case.
    private static func isLabel(_ label: Substring) -> Bool {
        let (bytes, hyphen) = (label.utf8, UInt8(ascii: "-"))
        guard (1...63).contains(bytes.count), bytes.first != hyphen, bytes.last != hyphen else { return false }
        // RFC 5891, section 4.2.3.1: hyphens at the third and fourth place mark an encoding, and `xn` is the only one.
        if bytes.dropFirst(2).prefix(2).elementsEqual("--".utf8), !label.begins(with: "xn--") { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen: true
            default: false
            }
        }
    }
}
