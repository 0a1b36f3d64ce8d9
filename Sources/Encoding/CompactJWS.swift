/// A JWS in compact form (RFC 7515, section 7.1). It is parsed, but its signature is not verified yet.
///
/// A library verifies the signature, but this type parses the JWS. `JWTKeyCollection.verify` of jwt-kit falls back to another key if the
/// `kid` is unknown, never compares `alg`, and reads invalid base64 as no bytes.
package struct CompactJWS: Sendable {
    package let algorithm: String
    package let keyID: String?
    package let type: String?
    /// The public key in the header (`jwk`). Anybody can write one there, so it proves nothing.
    package let key: JSONValue?
    /// The bytes that the signature covers: the encoded header and payload.
    package let signed: ArraySlice<UInt8>
    package let signature: [UInt8]
    private let encodedPayload: ArraySlice<UInt8>

    /// Nil if the text is too long, does not have three parts, or if its header is not a strict JSON object with `alg`.
    ///
    /// A header with `crit` is rejected, because no extension is supported (section 4.1.11). A repeated member is rejected too (section 4).
    /// - Parameter longest: The maximum length of the text in bytes.
    package init?(_ text: String, upTo longest: Int) {
        guard text.utf8.count <= longest else { return nil }
        let bytes = Array(text.utf8)
        let dot = UInt8(ascii: ".")
        // A fourth part makes the signature invalid, because base64url has no dot.
        guard let first = bytes[...].position(of: dot), let second = bytes[(first + 1)...].position(of: dot),
            let json = [UInt8](base64URL: bytes[..<first]), let signature = [UInt8](base64URL: bytes[(second + 1)...]),
            case .object(let header)? = try? JSONValue(json: json), header["crit"] == nil, case .string(let algorithm)? = header["alg"],
            let keyID = Self.optionalText("kid", of: header), let type = Self.optionalText("typ", of: header)
        else { return nil }
        (self.algorithm, self.keyID, self.type, self.signature) = (algorithm, keyID, type, signature)
        key = header["jwk"]
        (signed, encodedPayload) = (bytes[..<second], bytes[(first + 1)..<second])
    }

    /// The payload, whether or not a key verified it. Nil if it is not base64url.
    package var payload: [UInt8]? { [UInt8](base64URL: encodedPayload) }

    /// The text of a member, or nil if it is absent. The outer value is nil if the member is not a text.
    private static func optionalText(_ name: String, of header: [String: JSONValue]) -> String?? {
        switch header[name] {
        case nil, .null: .some(nil)
        case .string(let text): text
        default: nil
        }
    }
}
