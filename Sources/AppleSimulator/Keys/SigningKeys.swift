import Crypto
import Foundation
import JWTKit

/// Apple's key set. Several keys are published, and the newest signs.
///
/// The keys are created in the background from the start. The first user waits for them. So the server listens at once.
actor SigningKeys {
    /// The number of published keys.
    static let count = 3

    /// The first keys of every simulator in this process. Tests start hundreds of simulators, and creating an RSA key
    /// is slow.
    private static let initial = Task {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { try await SigningKey.generate() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Newest first. A task, because the first users may come before the keys exist.
    private var keys: Task<[SigningKey], any Error> = SigningKeys.initial

    var jwks: JSONValue {
        get async throws {
            ["keys": .array(try await keys.value.map(\.jwk))]
        }
    }

    /// Replaces the signing key with a new one, and the oldest key is no longer published. Two concurrent calls
    /// rotate twice.
    func rotate() async throws {
        let before = keys
        keys = Task { [try await SigningKey.generate()] + (try await before.value).dropLast() }
        _ = try await keys.value
    }

    /// Signs claims with RS256.
    func sign(_ claims: JSONValue, faults: [Fault.Effect] = []) async throws -> String {
        let key = try await keys.value[0]
        return try await Self.sign(claims, with: key, faults: faults)
    }

    private static func sign(_ claims: JSONValue, with key: SigningKey, faults: [Fault.Effect]) async throws -> String {
        var (claims, keyID) = (claims, key.id)
        var forged: Fault.ForgedAlgorithm?
        var breaksSignature = false
        for fault in faults {
            switch fault {
            case .claim(let name, let value): claims.set(name, to: value)
            case .unknownKeyID: keyID = "UNKNOWN\(key.id.prefix(3))"
            case .algorithm(let algorithm): forged = algorithm
            case .badSignature: breaksSignature = true
            default: break
            }
        }
        if let forged { return forge(claims, forged, keyID: keyID, publicKeyPEM: key.publicKeyPEM) }
        let token = try await key.signer.sign(claims, header: ["kid": .string(keyID)])
        return breaksSignature ? breakSignature(of: token) : token
    }

    /// Returns a token that every verifier must reject: unsigned, or signed with a public secret.
    private static func forge(
        _ claims: JSONValue, _ algorithm: Fault.ForgedAlgorithm, keyID: String, publicKeyPEM: String
    ) -> String {
        let header: JSONValue = ["alg": .string(algorithm.rawValue), "kid": .string(keyID), "typ": "JWT"]
        let input = "\(header.text.utf8.base64URL).\(claims.text.utf8.base64URL)"
        switch algorithm {
        case .none: return "\(input)."
        case .hs256:
            let secret = SymmetricKey(data: Data(publicKeyPEM.utf8))
            return "\(input).\(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: secret).base64URL)"
        }
    }

    /// Replaces a character in the middle of the signature. Its length does not change.
    private static func breakSignature(of token: String) -> String {
        var bytes = Array(token.utf8)
        let index = bytes.count - 100
        bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONValue: JWTPayload {
    /// Nothing to verify, because the reader checks the claims.
    func verify(using algorithm: some JWTAlgorithm) {}

    fileprivate mutating func set(_ name: String, to value: JSONValue?) {
        guard case .object(var claims) = self else { return }
        claims[name] = value
        self = .object(claims)
    }
}
