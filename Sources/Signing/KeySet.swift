import Access
package import Encoding
import Tenancy

extension SigningKeys {
    /// A tenant's published keys, which verify the tokens that callers present.
    package struct KeySet: Sendable {
        let current: [SigningKey.Algorithm: SigningKey]
        /// In the order of the JWKS.
        let published: [SigningKey]
        private let byKeyID: [String: SigningKey]
        private let verified: VerifiedTokens

        init(_ keys: [SigningKey], verified: VerifiedTokens = VerifiedTokens()) {
            self.verified = verified
            current = Dictionary(keys.filter { $0.state == .current }.map { ($0.algorithm, $0) }) { newest, _ in newest }
            published = keys
            byKeyID = Dictionary(uniqueKeysWithValues: keys.map { ($0.keyID, $0) })
        }
    }
}

extension SigningKeys.KeySet {
    /// The claims of a token, or nil if none of these keys signed it, or if it contains no JSON object.
    /// - Parameters:
    ///   - type: the required `typ` of the header. It separates the kinds of Espalier tokens (RFC 9068, section 4).
    ///   - longest: the maximum length of the token, in bytes.
    package func claims(of token: String, type: String, upTo longest: Int) -> [String: JSONValue]? {
        guard let jws = CompactJWS(token, upTo: longest), jws.type?.isSame(as: type) == true,
            let keyID = jws.keyID, let key = byKeyID[keyID], key.keyID.isSame(as: keyID),
            // The key sets the algorithm, not the token (RFC 8725, section 3.1).
            jws.algorithm == key.algorithm.rawValue,
            verified.contains(token, orVerify: { key.verifies(jws.signature, of: jws.signed) }), let payload = jws.payload,
            case .object(let claims)? = try? JSONValue(json: payload)
        else { return nil }
        return claims
    }
}
