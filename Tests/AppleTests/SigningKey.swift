import Encoding
import Foundation
import JWTKit

/// One of the server's signing keys, and its public half as a JWK.
struct SigningKey: Sendable {
    let id: String
    let jwk: String
    private let algorithm: any JWTAlgorithm

    static func make(_ id: String, pem: String = TestKeys.rsa1) async throws -> SigningKey {
        let key = try Insecure.RSA.PrivateKey(pem: pem)
        let keys = JWTKeyCollection()
        await keys.add(rsa: key, digestAlgorithm: .sha256, kid: "key")
        let primitives = try key.publicKey.getKeyPrimitives()
        let (n, e) = (Array(primitives.modulus).base64URL, Array(primitives.publicExponent).base64URL)
        return SigningKey(
            id: id, jwk: #"{"kty":"RSA","kid":"\#(id)","use":"sig","alg":"RS256","n":"\#(n)","e":"\#(e)"}"#,
            algorithm: try await keys.getKey(for: "key"))
    }

    static func publish(_ keys: [SigningKey]) -> String {
        #"{"keys":[\#(keys.map(\.jwk).joined(separator: ","))]}"#
    }

    /// Signs any header and payload unchanged.
    func sign(header: String, payload: String) throws -> String {
        let input = Array(header.utf8).base64URL + "." + Array(payload.utf8).base64URL
        return input + "." + Array(try algorithm.sign(Data(input.utf8))).base64URL
    }

    func sign(_ claims: Claims) throws -> String {
        try sign(header: #"{"kid":"\#(id)","alg":"RS256"}"#, payload: claims.json)
    }
}
