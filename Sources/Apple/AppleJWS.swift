import Encoding
import JWTKit

/// A JWT in compact form as Apple signs it, parsed and not yet verified.
struct AppleJWS {
    let keyID: String
    private let jws: CompactJWS

    /// Apple's tokens have about 900 characters.
    static let longest = 16 * 1024

    init(_ text: String) throws(IDTokenRefusal) {
        guard let jws = CompactJWS(text, upTo: Self.longest) else { throw .malformed }
        guard jws.algorithm == "RS256" else { throw .algorithm }
        guard let keyID = jws.keyID else { throw .unknownKey }
        (self.jws, self.keyID) = (jws, keyID)
    }

    /// Returns the payload after a check that this key signed it.
    func payload(verifiedBy key: any JWTAlgorithm) throws(IDTokenRefusal) -> [UInt8] {
        guard (try? key.verify(jws.signature, signs: jws.signed)) == true else { throw .signature }
        return try unverifiedPayload()
    }

    /// Returns the payload of a JWS that was verified before.
    func unverifiedPayload() throws(IDTokenRefusal) -> [UInt8] {
        guard let payload = jws.payload else { throw .malformed }
        return payload
    }
}
