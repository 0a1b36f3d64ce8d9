import Encoding
import NIOSSL

extension NIOSSLCertificate {
    /// Whether the certificate names this host, in full or with `*` for its first label (RFC 9525, section 6.3).
    ///
    /// NIOSSL also accepts a certificate for the address of the connection. Then anyone who changes the host's DNS record could use a
    /// certificate for an address of their own, which public authorities issue.
    func isFor(_ host: String) -> Bool {
        let host = host.utf8.map(\.asciiLowercased)
        let parent = host.drop { $0 != UInt8(ascii: ".") }
        return _subjectAlternativeNames().contains { name in
            guard case .dnsName = name.nameType else { return false }
            let bytes = name.contents.map(\.asciiLowercased)
            if bytes == host { return true }
            return bytes.starts(with: "*.".utf8) && bytes.dropFirst().elementsEqual(parent)
        }
    }
}
