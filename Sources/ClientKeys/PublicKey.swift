import Crypto
import CryptoExtras
package import Encoding

/// A public key of an application, as a JWK (RFC 7517). It verifies what the application signs.
package struct PublicKey: Sendable {
    /// The supported algorithms (RFC 7518, section 3.1).
    package enum Algorithm: String, CaseIterable, Sendable {
        case ES256, RS256, PS256
    }

    private enum Key {
        case p256(P256.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
    }

    package struct Refusal: Error {
        /// The member of the JWK that is invalid. Nil for the whole key.
        package let member: String?
        package let detail: String
        /// Whether the key is private or symmetric.
        var isOfPrivateKey: Bool { member.map(PublicKey.secretMembers.contains) ?? false }
    }

    package let keyID: String?
    /// The only algorithm of the key. Nil if every algorithm of its type is permitted.
    private let algorithm: Algorithm?
    private let members: Members
    private let key: Key

    /// The stored and shown members. Others, such as certificates, have no meaning here.
    private struct Members: Encodable, Equatable {
        let kty: String
        let kid, alg: String?
        let use = "sig"
        var crv, x, y, n, e: String?

        private enum CodingKeys: CodingKey { case kty, kid, alg, use, crv, x, y, n, e }
    }

    /// The members of a JWK that are stored or have no meaning here.
    static let knownMembers: Set = [
        "kty", "kid", "use", "alg", "crv", "x", "y", "n", "e", "key_ops", "ext", "x5c", "x5t", "x5t#S256", "x5u", "iat", "exp",
    ]
    /// The members of private and symmetric keys (RFC 7518, sections 6.2.2, 6.3.2 and 6.4).
    private static let secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
    private static let longestKeyID = 255
    /// In bytes. A signature of a longer key costs too much.
    private static let longestModulus = 512

    /// Reads a JWK.
    package init(_ value: JSONValue) throws(Refusal) {
        guard case .object(let jwk) = value else { throw Refusal(member: nil, detail: "It must be an object.") }
        if let member = Self.secretMembers.first(where: { jwk[$0] != nil }) {
            throw Refusal(
                member: member,
                detail: "This member is part of a private key. Send only the public key, and replace a private key that you sent.")
        }
        func text(_ name: String, isRequired: Bool = true) throws(Refusal) -> String? {
            switch jwk[name] {
            case nil, .null:
                guard !isRequired else { throw Refusal(member: name, detail: "It is required.") }
                return nil
            case .string(let text): return text
            default: throw Refusal(member: name, detail: "It must be a string.")
            }
        }
        func bytes(_ name: String, _ text: String?) throws(Refusal) -> [UInt8] {
            guard let text, let bytes = [UInt8](base64URL: text) else {
                throw Refusal(member: name, detail: "It must be base64url without padding.")
            }
            return bytes
        }
        let (kty, keyID) = (try text("kty") ?? "", try text("kid", isRequired: false))
        guard keyID.map({ (1...Self.longestKeyID).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) ?? true
        else { throw Refusal(member: "kid", detail: "It must have 1 to \(Self.longestKeyID) bytes and no control characters.") }
        guard try text("use", isRequired: false).map({ $0.isSame(as: "sig") }) ?? true
        else { throw Refusal(member: "use", detail: "It must be sig.") }
        switch jwk["key_ops"] {
        case nil, .null: break
        case .array(let operations) where operations.contains(.string("verify")): break
        default: throw Refusal(member: "key_ops", detail: "It must contain verify.")
        }
        let permitted: [Algorithm]
        var members = Members(kty: kty, kid: keyID, alg: try text("alg", isRequired: false))
        switch kty {
        case "EC":
            permitted = [.ES256]
            (members.crv, members.x, members.y) = (try text("crv"), try text("x"), try text("y"))
            guard members.crv?.isSame(as: "P-256") == true else { throw Refusal(member: "crv", detail: "It must be P-256.") }
            let (x, y) = (try bytes("x", members.x), try bytes("y", members.y))
            guard x.count == 32, y.count == 32, let point = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
            else { throw Refusal(member: "x", detail: "x and y must be a point of P-256, with 32 bytes each.") }
            key = .p256(point)
        case "RSA":
            permitted = [.RS256, .PS256]
            (members.n, members.e) = (try text("n"), try text("e"))
            let n = try bytes("n", members.n)
            // Another exponent can make a verification expensive.
            guard members.e?.isSame(as: "AQAB") == true else { throw Refusal(member: "e", detail: "It must be AQAB (65537).") }
            guard n.count <= Self.longestModulus, n.first != 0, let rsa = try? _RSA.Signing.PublicKey(n: n, e: [1, 0, 1])
            else { throw Refusal(member: "n", detail: "It must have 2048 to 4096 bits.") }
            key = .rsa(rsa)
        default:
            throw Refusal(member: "kty", detail: "It must be EC or RSA.")
        }
        algorithm = members.alg.flatMap { name in permitted.first { $0.rawValue.isSame(as: name) } }
        guard (algorithm == nil) == (members.alg == nil) else {
            throw Refusal(member: "alg", detail: "It must be \(permitted.map(\.rawValue).joined(separator: " or ")) for this key.")
        }
        (self.keyID, self.members) = (keyID, members)
    }

    /// Identifies the key by its required members in a canonical form (RFC 7638, section 3).
    package var thumbprint: KeyThumbprint {
        let text =
            switch key {
            case .p256(let key):
                #"{"crv":"P-256","kty":"EC","x":"\#(Array(key.rawRepresentation.prefix(32)).base64URL)","#
                    + #""y":"\#(Array(key.rawRepresentation.suffix(32)).base64URL)"}"#
            case .rsa:
                // The reader has accepted only one exponent. Its own encoding of the modulus is canonical.
                #"{"e":"AQAB","kty":"RSA","n":"\#(([UInt8](base64URL: members.n ?? "") ?? []).base64URL)"}"#
            }
        return KeyThumbprint(ofCanonical: text)
    }

    /// Whether this key made the signature with an algorithm. A key verifies only with its own algorithms (RFC 8725, section 3.1).
    func verifies(_ signature: [UInt8], of signed: ArraySlice<UInt8>, by name: String) -> Bool {
        guard algorithm.map({ $0.rawValue.isSame(as: name) }) ?? true else { return false }
        switch (key, Algorithm.allCases.first { $0.rawValue.isSame(as: name) }) {
        case (.p256(let key), .ES256):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: signed)
        case (.rsa(let key), .RS256):
            return key.isValidSignature(.init(rawRepresentation: signature), for: signed, padding: .insecurePKCS1v1_5)
        case (.rsa(let key), .PS256):
            return key.isValidSignature(.init(rawRepresentation: signature), for: signed, padding: .PSS)
        default: return false
        }
    }
}

extension PublicKey: Encodable, Equatable {
    package func encode(to encoder: any Encoder) throws {
        try members.encode(to: encoder)
    }

    package static func == (one: PublicKey, other: PublicKey) -> Bool {
        one.members == other.members
    }
}
