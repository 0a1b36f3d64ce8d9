import Encoding

/// The rules for the audience of an API.
enum Audience {
    /// The reason for refusing an audience, or nil. It must be an absolute URI without a fragment (RFC 8707, section 2).
    /// - Parameters:
    ///   - publicURL: Espalier's own URL. Its issuers are the audience of the tokens that Espalier itself accepts.
    ///   - issuers: the issuers of the tenant at its own hosts.
    static func refusal(of audience: String, publicURL: String, issuers: [String] = []) -> String? {
        guard (1...500).contains(audience.utf8.count), audience.utf8.allSatisfy(isInURI), isAbsolute(audience)
        else { return "It must be an absolute URI without a fragment, up to 500 characters. Example: `https://api.example.com`." }
        guard !audience.utf8.starts(with: publicURL.utf8)
        else { return "It must not be below \(publicURL), because Espalier accepts tokens for its issuers itself." }
        if let issuer = issuers.first(where: { audience.isSame(as: $0) || audience.begins(with: $0 + "/") }) {
            return "It must not be below \(issuer), because Espalier accepts tokens for its issuers itself."
        }
        return nil
    }

    /// Whether the text begins with a scheme and has something after it (RFC 3986, section 4.3).
    private static func isAbsolute(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text.utf8[..<colon]
        guard let first = scheme.first, isLetter(first), text.utf8.index(after: colon) < text.utf8.endIndex else { return false }
        return scheme.allSatisfy { isLetter($0) || isDigit($0) || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains($0) }
    }

    /// The characters of a URI, except `#`.
    private static func isInURI(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "-._~:/?[]@!$&'()*+,;=%".utf8.contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
