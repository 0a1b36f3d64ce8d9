import Foundation

/// A token for display: abridged, with its claims if it is a JWT. Nothing is verified here.
struct DecodedToken {
    let abridged: String
    /// The claims as indented JSON; nil for an opaque token.
    let claims: String?

    init(_ token: String) {
        abridged = Self.abridged(token)
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        claims = parts.count == 3 ? Data(base64URL: Substring(parts[1])).flatMap(Self.indented) : nil
    }

    /// Returns the same JSON for people: sorted, one member per line, without Foundation's space before the colon.
    private static func indented(_ json: Data) -> String? {
        guard let object = try? JSONSerialization.jsonObject(with: json),
            let text = try? JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        else { return nil }
        return String(decoding: text, as: UTF8.self)
            .replacing(#/(?m)^(\s*"(?:[^"\\]|\\.)*") : /#.matchingSemantics(.unicodeScalar)) { "\($0.output.1): " }
    }

    /// Returns both ends of a token. They distinguish it from another token and are useless to an attacker.
    static func abridged(_ token: String) -> String {
        token.count > 40 ? "\(token.prefix(10))…\(token.suffix(6))" : "…"
    }
}
