import CryptoExtras
import Dispatch
import Foundation
import JWTKit

/// One of Apple's RSA keys, which sign id_tokens and notifications.
struct SigningKey: Sendable {
    /// Ten characters, as in Apple's keys.
    let id: String
    /// Signs with the private half, with any `kid` in the header.
    let signer: JWTKeyCollection
    /// PEM of the public half.
    let publicKeyPEM: String
    /// The key in the JWKS.
    let jwk: JSONValue

    private init(_ key: _RSA.Signing.PrivateKey) async throws {
        id = String(randomToken(bytes: 16).filter { $0 != "-" && $0 != "_" }.prefix(10))
        signer = try await JWTKeyCollection().add(rsa: JWTKit.Insecure.RSA.PrivateKey(backing: key), digestAlgorithm: .sha256)
        publicKeyPEM = key.publicKey.pemRepresentation
        let primitives = try key.publicKey.getKeyPrimitives()
        jwk = [
            "kty": "RSA", "kid": .string(id), "use": "sig", "alg": "RS256",
            "n": .string(primitives.modulus.base64URL), "e": .string(primitives.publicExponent.base64URL),
        ]
    }

    /// Creates a key of 2048 bits on its own thread. Without optimization, this takes a large part of a second, and a
    /// thread of Swift's pool must not be busy for that long.
    static func generate() async throws -> SigningKey {
        let key = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(with: Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) })
            }
        }
        return try await SigningKey(key)
    }
}
