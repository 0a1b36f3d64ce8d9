package import Crypto
import Foundation

/// The private half of an Apple key, as in the `.p8` file from Apple's portal: P-256, PKCS#8, PEM.
package struct ApplePrivateKey: Sendable, Unprintable {
    let signing: P256.Signing.PrivateKey
    /// SHA-256 of the public half (SubjectPublicKeyInfo in DER).
    ///
    /// It identifies the key and reveals nothing about the private half.
    package var fingerprint: [UInt8] { Array(SHA256.hash(data: signing.publicKey.derRepresentation)) }

    package init(_ signing: P256.Signing.PrivateKey) {
        self.signing = signing
    }

    /// The reason why a file is not an Apple key. No case contains any part of the file.
    package enum Refusal: Error, Hashable, CustomStringConvertible {
        case notPEM
        case encrypted
        case publicKey
        case certificate
        case rsa
        case wrongCurve
        case damaged

        package var description: String {
            let problem =
                switch self {
                case .notPEM: "This is not a PEM file. It has no line -----BEGIN PRIVATE KEY-----."
                case .encrypted: "The private key is encrypted with a passphrase."
                case .publicKey: "This is a public key."
                case .certificate: "This is a certificate."
                case .rsa: "This is an RSA key. Apple's keys are elliptic (P-256)."
                case .wrongCurve: "This key is not on the curve P-256."
                case .damaged: "The private key is damaged or cut short."
                }
            return "\(problem) Upload the AuthKey_….p8 file from Apple's portal unchanged."
        }
    }

    /// Reads a `.p8` file. It accepts any line ends, and text around the PEM block.
    package init(pem: String) throws(Refusal) {
        let lines = pem.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        let labels = lines.compactMap(Self.label)
        guard let label = labels.first(where: { $0.hasSuffix("PRIVATE KEY") }) ?? labels.first else { throw .notPEM }
        switch label {
        case "ENCRYPTED PRIVATE KEY": throw .encrypted
        case "RSA PRIVATE KEY": throw .rsa
        case "PUBLIC KEY", "RSA PUBLIC KEY", "EC PUBLIC KEY": throw .publicKey
        case "CERTIFICATE", "TRUSTED CERTIFICATE", "CERTIFICATE REQUEST": throw .certificate
        case "PRIVATE KEY", "EC PRIVATE KEY": break
        default: throw .notPEM
        }
        guard let start = lines.firstIndex(of: "-----BEGIN \(label)-----"),
            let end = lines[start...].firstIndex(of: "-----END \(label)-----")
        else { throw .damaged }
        let block = lines[start...end]
        guard !block.contains(where: { $0.hasPrefix("Proc-Type:") }) else { throw .encrypted }
        guard let der = Data(base64Encoded: block.dropFirst().dropLast().joined()) else { throw .damaged }
        // swift-crypto accepts any 32 bytes as a P-256 key, even of another curve of that size.
        guard der.range(of: ObjectIdentifiers.p256) != nil else { throw Self.diagnose(der) }
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: block.joined(separator: "\n")) else { throw .damaged }
        self.init(key)
    }

    private static func label(of line: String) -> String? {
        guard line.hasPrefix("-----BEGIN "), line.hasSuffix("-----"), line.utf8.count > 16 else { return nil }
        return String(line.dropFirst(11).dropLast(5))
    }

    /// Determines the kind of a private key that is not on P-256 from the object identifiers inside.
    private static func diagnose(_ der: Data) -> Refusal {
        if der.range(of: ObjectIdentifiers.rsaEncryption) != nil { return .rsa }
        let others = [ObjectIdentifiers.certicomCurves, ObjectIdentifiers.edwardsCurves, ObjectIdentifiers.otherCurves]
        return others.contains { der.range(of: $0) != nil } ? .wrongCurve : .damaged
    }
}

/// Object identifiers in DER (RFC 5480, RFC 8017, RFC 8410), with the tag and, where complete, the length.
private enum ObjectIdentifiers {
    static let rsaEncryption = Data([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01])
    static let p256 = Data([0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
    /// 1.3.132.0: P-384, P-521, secp256k1.
    static let certicomCurves = Data([0x06, 0x05, 0x2B, 0x81, 0x04, 0x00])
    /// 1.3.101: X25519, Ed25519 and similar.
    static let edwardsCurves = Data([0x06, 0x03, 0x2B, 0x65])
    /// 1.2.840.10045.3: the other ANSI curves.
    static let otherCurves = Data([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03])
}
