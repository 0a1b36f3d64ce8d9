import Crypto
import CryptoExtras
import Foundation

/// The private half of a signing key, with the algorithm that it signs with.
enum PrivateKey: Sendable {
    case es256(P256.Signing.PrivateKey)
    case rs256(_RSA.Signing.PrivateKey)

    /// A signature in the form of a JWS (RFC 7518, sections 3.3 and 3.4).
    func signature(of input: [UInt8]) throws -> [UInt8] {
        switch self {
        case .es256(let key):
            // With the digest. The library reads a message as any `DataProtocol`, which costs as much as the hash.
            Array(try key.signature(for: input.withUnsafeBytes { Self.digest(of: $0) }).rawRepresentation)
        case .rs256(let key): Array(try key.signature(for: input, padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }

    private static func digest(of input: UnsafeRawBufferPointer) -> SHA256Digest {
        var hash = SHA256()
        hash.update(bufferPointer: input)
        return hash.finalize()
    }

    /// Whether this key made the signature.
    func verifies(_ signature: [UInt8], of input: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .es256(let key):
            // Fails for any other length than 64 bytes.
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.publicKey.isValidSignature(signature, for: input.withUnsafeBytes { Self.digest(of: $0) })
        case .rs256(let key):
            return key.publicKey.isValidSignature(.init(rawRepresentation: signature), for: input, padding: .insecurePKCS1v1_5)
        }
    }
}
