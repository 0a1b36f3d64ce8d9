import Access
import Foundation
import Web

extension SigningKeys {
    /// A tenant's published keys, and what they say of tokens that come back to us.
    package struct KeySet: Sendable {
        let current: [SigningKey.Algorithm: SigningKey]
        /// In the order of the JWKS.
        let published: [SigningKey]
        private let byKeyID: [String: SigningKey]

        init(_ keys: [SigningKey]) {
            current = Dictionary(keys.filter { $0.state == .current }.map { ($0.algorithm, $0) }) { newest, _ in newest }
            published = keys
            byKeyID = Dictionary(uniqueKeysWithValues: keys.map { ($0.keyID, $0) })
        }
    }
}

extension SigningKeys.KeySet {
    /// What a token says; nil unless one of these keys has signed it.
    /// - Parameters:
    ///   - type: the header's `typ`, which keeps one kind of our tokens from passing for another (RFC 9068, section 4).
    ///   - longest: in bytes.
    package func claims<Claims: Decodable>(of token: String, type: String, upTo longest: Int, as _: Claims.Type) -> Claims? {
        guard let jws = CompactJWS(token, upTo: longest), jws.header.typ.isSame(as: type), let key = byKeyID[jws.header.kid],
            key.keyID.isSame(as: jws.header.kid)
        else { return nil }
        return jws.claims(Claims.self, verifiedBy: key)
    }
}
