import Foundation

/// A token as a person may look at it: abridged, with its claims when it is a JWT. Nothing is verified here.
struct DecodedToken {
    let abridged: String
    /// The claims as indented JSON; nil for an opaque token.
    let claims: String?

    init(_ token: String) {
        abridged = Self.abridged(token)
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        claims = parts.count == 3 ? Data(base64URL: Substring(parts[1])).flatMap(Self.indented) : nil
    }

    /// The same JSON for people: sorted, a member a line, without Foundation's space before the colon.
    private static func indented(_ json: Data) -> String? {
        guard let object = try? JSONSerialization.jsonObject(with: json),
            let text = try? JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        else { return nil }
        return String(decoding: text, as: UTF8.self)
            .replacing(#/(?m)^(\s*"(?:[^"\\]|\\.)*") : /#.matchingSemantics(.unicodeScalar)) { "\($0.output.1): " }
    }

    /// The ends of a token, enough to tell it from another and useless to anyone who reads it.
    static func abridged(_ token: String) -> String {
        token.count > 40 ? "\(token.prefix(10))…\(token.suffix(6))" : "…"
    }
}
