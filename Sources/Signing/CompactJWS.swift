import Foundation
import Sealing
import Tenancy
import Web

/// A presented Espalier token in compact form (RFC 7515, section 7.1). It is parsed, but its signature is not verified yet.
struct CompactJWS {
    let header: Header
    private let signed: String
    private let payload: Substring
    private let signature: [UInt8]

    struct Header: Decodable {
        let alg, kid, typ: String
        /// Extensions that a reader must understand (RFC 7515, section 4.1.11). Espalier supports none.
        fileprivate let crit: [String]?
    }

    init?(_ text: String, upTo longest: Int) {
        let parts = text.utf8.count <= longest ? text.parts(at: ".", keepingEmpty: true) : []
        guard parts.count == 3, let header = Self.decode(Header.self, parts[0]), header.crit == nil,
            let signature = [UInt8](base64URL: String(parts[2]))
        else { return nil }
        (self.header, self.signature, payload, signed) = (header, signature, parts[1], "\(parts[0]).\(parts[1])")
    }

    /// The claims if this key made the signature, or nil. The key sets the algorithm, not the token (RFC 8725, section 3.1).
    func claims<Claims: Decodable>(_ type: Claims.Type, verifiedBy key: SigningKey) -> Claims? {
        guard header.alg == key.algorithm.rawValue, key.verifies(signature, of: signed) else { return nil }
        return unverifiedClaims(type)
    }

    func unverifiedClaims<Claims: Decodable>(_ type: Claims.Type) -> Claims? {
        Self.decode(type, payload)
    }

    private static func decode<Part: Decodable>(_: Part.Type, _ text: Substring) -> Part? {
        [UInt8](base64URL: String(text)).flatMap { try? JSONDecoder().decode(Part.self, from: Data($0)) }
    }
}
