import Encoding
package import Hummingbird

extension Request {
    /// The body's media type without its parameters, in lowercase (RFC 9110, section 8.3.1).
    package var mediaType: String? {
        headers[.contentType].map { value in
            let type = Substring(value.utf8.prefix { $0 != UInt8(ascii: ";") }).withoutBlanks
            // Nearly all callers send it in lowercase.
            return type.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ? type.asciiLowercased : String(type)
        }
    }

    /// Whether the caller accepts HTML by name (RFC 9110, section 12.5.1). Browsers name it, for a person who reads the response.
    /// Programs accept any type.
    package var acceptsHTML: Bool {
        headers[values: .accept].flatMap(\.listElements).contains { range in
            let parts = range.parts(at: ";").map { $0.withoutBlanks.asciiLowercased }
            return parts.first?.isSame(as: "text/html") == true && !parts.dropFirst().contains(where: Self.isWeightOfNothing)
        }
    }

    /// Whether a parameter is `q=0`, which means "not accepted" (section 12.4.2).
    private static func isWeightOfNothing(_ parameter: String) -> Bool {
        parameter.begins(with: "q=") && parameter.utf8.dropFirst(2).allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
    }
}
