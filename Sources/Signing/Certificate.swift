import Access
import Crypto
import CryptoExtras
import Encoding
import Foundation
import Synchronization

/// One RS256 key with a certificate of itself (RFC 7517, sections 4.7 and 4.9).
package struct CertifiedKey: Encodable, Sendable {
    let alg = "RS256"
    let kty = "RSA"
    let use = "sig"
    /// In base64, not base64url.
    let x5c: [String]
    let n, e, kid: String
    let x5t: String

    private enum CodingKeys: String, CodingKey {
        case alg, kty, use, x5c, n, e, kid
        case x5t = "x5t#S256"
    }
}

/// The certificates of RSA signing keys. A client that trusts the JWKS needs no certificate, but some clients require the member.
///
/// A certificate is signed by its own key and contains only the key's ID and public half. It is calculated from the key alone, so every
/// process publishes the same one. A signature takes about a millisecond, and anyone may fetch a JWKS, so a process makes each
/// certificate once.
final class Certificates: Sendable {
    private static let capacity = 10_000
    private let made = Mutex<[ID<SigningKey>: CertifiedKey]>([:])

    /// Nil for a key of another algorithm.
    func certified(_ key: SigningKey) throws -> CertifiedKey? {
        if let found = made.withLock({ $0[key.id] }) { return found }
        guard case .rs256(let rsa) = key.privateKey, let n = key.jwk.n, let e = key.jwk.e else { return nil }
        let certificate = try Self.certificate(of: key, rsa)
        let certified = CertifiedKey(
            x5c: [Data(certificate).base64EncodedString()], n: n, e: e, kid: key.keyID,
            x5t: Array(SHA256.hash(data: Data(certificate))).base64URL)
        made.withLock { made in
            if made.count >= Self.capacity { made = [:] }
            made[key.id] = certified
        }
        return certified
    }

    /// An X.509 certificate without extensions (RFC 5280, section 4.1), in DER.
    private static func certificate(of key: SigningKey, _ rsa: _RSA.Signing.PrivateKey) throws -> [UInt8] {
        let numbers = try rsa.publicKey.getKeyPrimitives()
        let name = DER.sequence(DER.set(DER.sequence(DER.objectIdentifier(commonName), DER.utf8String(key.keyID))))
        let publicKey = DER.sequence(
            DER.sequence(DER.objectIdentifier(rsaEncryption), DER.null),
            DER.bitString(DER.sequence(DER.integer(numbers.modulus), DER.integer(numbers.publicExponent))))
        let algorithm = DER.sequence(DER.objectIdentifier(sha256WithRSA), DER.null)
        let content = DER.sequence(
            DER.integer(withUnsafeBytes(of: key.id.uuid.uuid, Array.init)), algorithm, name,
            // It has no end: the JWKS says how long the key is valid.
            DER.sequence(time(of: key.id), DER.time(9999, [12, 31, 23, 59, 59])), name, publicKey)
        return DER.sequence(content, algorithm, DER.bitString(try key.privateKey.signature(of: content)))
    }

    /// The time in a UUIDv7 (RFC 9562, section 5.7), in whole seconds.
    private static func time(of id: ID<SigningKey>) -> [UInt8] {
        let milliseconds = withUnsafeBytes(of: id.uuid.uuid) { $0.prefix(6).reduce(0) { $0 << 8 | Int($1) } }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: TimeInterval(milliseconds / 1000)))
        return DER.time(
            parts.year ?? 1970, [parts.month ?? 1, parts.day ?? 1, parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0])
    }

    /// 2.5.4.3.
    private static let commonName: [UInt8] = [0x55, 0x04, 0x03]
    /// 1.2.840.113549.1.1.1.
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    /// 1.2.840.113549.1.1.11.
    private static let sha256WithRSA: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B]
}
