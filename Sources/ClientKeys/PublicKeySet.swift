package import Encoding
import Foundation

/// The public keys of an application, as a JWK set (RFC 7517, section 5).
package struct PublicKeySet: Sendable, Equatable, Encodable {
    package let keys: [PublicKey]

    package static let most = 10

    package struct Refusal: Error {
        /// The path of the invalid part, such as `keys[0].d`. Nil for the whole set.
        package let path: String?
        package let detail: String
    }

    /// Reads a set that an application registers. Every key must be usable and have no unknown member.
    package init(_ value: JSONValue) throws(Refusal) { try self.init(value, isOfClient: false) }

    /// Reads a set that a client registers itself. It ignores unknown members, and keys that it cannot use (RFC 7517, section 5). A private
    /// key is refused, because it must be replaced.
    package init(ofClient value: JSONValue) throws(Refusal) { try self.init(value, isOfClient: true) }

    private init(_ value: JSONValue, isOfClient: Bool) throws(Refusal) {
        func refuse(unknown members: some Sequence<String>, besides known: Set<String>, at path: String) throws(Refusal) {
            guard !isOfClient, let unknown = members.sorted().first(where: { !known.contains($0) }) else { return }
            throw Refusal(
                path: path + String(unknown.unicodeScalars.prefix(100)), detail: "This field is unknown. Remove it or check its spelling.")
        }
        guard case .object(let set) = value, case .array(let elements)? = set["keys"]
        else { throw Refusal(path: nil, detail: "It must be a JWK set: an object with the list `keys`.") }
        try refuse(unknown: set.keys, besides: ["keys"], at: "")
        guard (1...Self.most).contains(elements.count)
        else { throw Refusal(path: "keys", detail: "It must have 1 to \(Self.most) keys.") }
        var keys: [PublicKey] = []
        var unusable: Refusal?
        for (index, element) in elements.enumerated() {
            let key: PublicKey
            do { key = try PublicKey(element) } catch {
                let refusal = Refusal(path: "keys[\(index)]" + (error.member.map { ".\($0)" } ?? ""), detail: error.detail)
                guard isOfClient, !error.isOfPrivateKey else { throw refusal }
                unusable = unusable ?? refusal
                continue
            }
            if case .object(let jwk) = element {
                try refuse(unknown: jwk.keys, besides: PublicKey.knownMembers, at: "keys[\(index)].")
            }
            if let id = key.keyID, keys.contains(where: { $0.keyID?.isSame(as: id) == true }) {
                throw Refusal(path: "keys[\(index)].kid", detail: "Another key has the same `kid`.")
            }
            keys.append(key)
        }
        if keys.isEmpty, let unusable { throw unusable }
        self.keys = keys
    }

    /// Reads a set that an application publishes. It ignores keys that it cannot use, because the document may have others.
    /// - Returns: nil if no key is usable.
    init?(published json: [UInt8]) {
        guard case .object(let set)? = try? JSONValue(json: json), case .array(let elements)? = set["keys"] else { return nil }
        keys = Array(elements.lazy.compactMap { try? PublicKey($0) }.prefix(Self.most))
        if keys.isEmpty { return nil }
    }

    /// The set as JSON, for the database.
    package var json: [UInt8] {
        // Texts and lists always have a JSON form.
        ((try? JSONEncoder().encode(self)) ?? Data()).map(\.self)
    }

    /// The keys that may have made a signature. A set with several keys needs a `kid` (OpenID Connect Core, section 10.1), so that anyone
    /// who sends an assertion costs at most one verification.
    func candidates(_ keyID: String?) -> [PublicKey] {
        guard let keyID else { return keys.count == 1 ? keys : [] }
        return keys.filter { $0.keyID?.isSame(as: keyID) == true }
    }

    /// Whether a key of the set may have made a signature.
    package func mayVerify(_ jws: CompactJWS) -> Bool { !candidates(jws.keyID).isEmpty }

    /// Whether a key of the set has made a signature.
    package func verifies(_ jws: CompactJWS) -> Bool {
        candidates(jws.keyID).contains { $0.verifies(jws.signature, of: jws.signed, by: jws.algorithm) }
    }
}
