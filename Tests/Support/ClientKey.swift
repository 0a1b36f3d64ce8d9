import Crypto
import CryptoExtras
import Encoding
package import Foundation

/// A private key of an application, and the assertions that it signs, made without the server's code for either.
package struct ClientKey: Sendable {
    private enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    package let keyID: String?
    package let algorithm: String
    private let key: Key

    /// - Parameter algorithm: `ES256`, `RS256` or `PS256`.
    package init(_ keyID: String? = "key-1", _ algorithm: String = "ES256") throws {
        (self.keyID, self.algorithm) = (keyID, algorithm)
        key = algorithm == "ES256" ? .p256(.init()) : .rsa(try .init(keySize: .bits2048))
    }

    /// The public half.
    package var jwk: [String: any Sendable] {
        get throws {
            var jwk: [String: any Sendable] = ["use": "sig"]
            jwk["kid"] = keyID
            switch key {
            case .p256(let key):
                let point = Array(key.publicKey.x963Representation)
                jwk["kty"] = "EC"
                jwk["crv"] = "P-256"
                jwk["x"] = Array(point[1...32]).base64URL
                jwk["y"] = Array(point[33...]).base64URL
            case .rsa(let key):
                let numbers = try key.publicKey.getKeyPrimitives()
                jwk["kty"] = "RSA"
                jwk["n"] = Array(numbers.modulus).base64URL
                jwk["e"] = Array(numbers.publicExponent).base64URL
            }
            return jwk
        }
    }

    /// A JWK set of the public halves, for a request.
    package static func set(_ keys: ClientKey...) throws -> [String: any Sendable] {
        ["keys": try keys.map { try $0.jwk }]
    }

    /// The same set as a document.
    package static func document(_ keys: ClientKey...) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: ["keys": try keys.map { try $0.jwk }]), as: UTF8.self)
    }

    /// An assertion of an application, with members changed, added or removed.
    package func assertion(
        of client: String, for audience: String, at now: Date = Date(), header: [String: (any Sendable)?] = [:],
        _ changes: [String: (any Sendable)?] = [:]
    ) throws -> String {
        let seconds = Int(now.timeIntervalSince1970)
        let claims: [String: (any Sendable)?] = [
            "iss": client, "sub": client, "aud": audience, "iat": seconds, "exp": seconds + 60, "jti": UUID().uuidString,
        ]
        return try sign(["alg": algorithm, "kid": keyID].merging(header) { $1 }, claims.merging(changes) { $1 })
    }

    /// The thumbprint of the public half (RFC 7638).
    package var thumbprint: String {
        get throws {
            let jwk = try jwk
            let members = ["crv", "e", "kty", "n", "x", "y"].compactMap { name in jwk[name].map { #""\#(name)":"\#($0)""# } }
            return Array(SHA256.hash(data: Data("{\(members.joined(separator: ","))}".utf8))).base64URL
        }
    }

    /// A DPoP proof (RFC 9449, section 4.2), with members changed, added or removed.
    package func proof(
        _ uri: String, method: String = "POST", nonce: String?, token: String? = nil, header: [String: (any Sendable)?] = [:],
        _ changes: [String: (any Sendable)?] = [:]
    ) throws -> String {
        let claims: [String: (any Sendable)?] = [
            "htm": method, "htu": uri, "jti": UUID().uuidString, "iat": 1, "nonce": nonce,
            "ath": token.map { Array(SHA256.hash(data: Data($0.utf8))).base64URL },
        ]
        var key = try jwk
        key["use"] = nil
        key["kid"] = nil
        let fields: [String: (any Sendable)?] = ["alg": algorithm, "typ": "dpop+jwt", "jwk": key]
        return try sign(fields.merging(header) { $1 }, claims.merging(changes) { $1 })
    }

    private func sign(_ header: [String: (any Sendable)?], _ claims: [String: (any Sendable)?]) throws -> String {
        func part(_ members: [String: (any Sendable)?]) throws -> String {
            Array(try JSONSerialization.data(withJSONObject: members.compactMapValues(\.self))).base64URL
        }
        let signed = try part(header) + "." + part(claims)
        let bytes = Data(signed.utf8)
        let signature =
            switch key {
            case .p256(let key): try key.signature(for: bytes).rawRepresentation
            case .rsa(let key): try key.signature(for: bytes, padding: algorithm == "PS256" ? .PSS : .insecurePKCS1v1_5).rawRepresentation
            }
        return "\(signed).\(Array(signature).base64URL)"
    }

    /// The form fields of an assertion.
    package static func form(_ assertion: String) -> [(String, String)] {
        [("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"), ("client_assertion", assertion)]
    }
}
