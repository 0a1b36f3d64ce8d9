package import Encoding
import HTTPTypes
package import Hummingbird

extension Language {
    /// How many tags of a request count. A browser sends up to ten.
    private static let mostTags = 20

    /// The first of these tags that names a language of the pages.
    /// - Parameter uiLocales: The parameter `ui_locales`, with spaces between the tags (OpenID Connect Core, section 3.1.2.1).
    package init?(uiLocales: String) {
        let tags = uiLocales.parts(at: " ", atMost: Self.mostTags + 1).prefix(Self.mostTags)
        guard let found = tags.lazy.compactMap({ Language(tag: $0) }).first else { return nil }
        self = found
    }

    /// The language that the parameters of a request name.
    package init?(askedIn form: Form) {
        guard let language = form["ui_locales"].flatMap({ Language(uiLocales: $0) }) else { return nil }
        self = language
    }

    /// The language that the person prefers among those of the pages. For equal weights, the first one.
    /// - Parameter acceptLanguage: The header `Accept-Language` (RFC 9110, section 12.5.4).
    package init?(acceptLanguage: String) {
        var best: (language: Language, weight: Int)?
        for range in acceptLanguage.parts(at: ",", atMost: Self.mostTags + 1).prefix(Self.mostTags) {
            let parts = range.parts(at: ";", atMost: 3, includingEmpty: true).map(\.withoutBlanks)
            guard let language = Language(tag: parts[0]), parts.count <= 2,
                let weight = parts.count == 1 ? 1000 : Self.weight(parts[1]), weight > best?.weight ?? 0
            else { continue }
            best = (language, weight)
        }
        guard let best else { return nil }
        self = best.language
    }

    /// The language of a tag (RFC 5646), as in a lookup that drops subtags from the end (RFC 4647, section 3.4).
    package init?(tag: some StringProtocol) {
        let subtags = tag.parts(at: "-", atMost: 9, includingEmpty: true).map(\.asciiLowercased)
        guard subtags.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isAlphanumeric) }) else { return nil }
        switch subtags[0] {
        case "zh": self = Self.isTraditional(subtags.dropFirst()) ? .traditionalChinese : .simplifiedChinese
        // The code of Hebrew until 1989, which Java and Apple's button still use.
        case "iw": self = .hebrew
        default:
            guard let found = Language(rawValue: subtags[0]) else { return nil }
            self = found
        }
    }

    /// Whether a tag of Chinese means the traditional script. A script comes before a region.
    private static func isTraditional(_ subtags: ArraySlice<String>) -> Bool {
        if subtags.first == "hans" { return false }
        return subtags.contains { ["hant", "tw", "hk", "mo"].contains($0) }
    }

    /// A weight in thousandths (RFC 9110, section 12.4.2), or nil if it is malformed.
    private static func weight(_ parameter: Substring) -> Int? {
        let text = Array(parameter.asciiLowercased.utf8)
        guard text.starts(with: "q=".utf8), (3...7).contains(text.count), let first = text[2].digit,
            text.count == 3 || text[3] == UInt8(ascii: ".")
        else { return nil }
        var weight = first * 1000
        for (byte, unit) in zip(text.dropFirst(4), [100, 10, 1]) {
            guard let digit = byte.digit else { return nil }
            weight += digit * unit
        }
        return weight <= 1000 ? weight : nil
    }
}

extension Request {
    /// The language that `ui_locales` in the query names.
    package var askedLanguage: Language? {
        guard let query = uri.query, !query.utf8.isEmpty, let form = try? Form(query, repeatable: ["resource"]) else { return nil }
        return Language(askedIn: form)
    }

    /// The language that the header names.
    var acceptedLanguage: Language? {
        Language(acceptLanguage: headers[values: .acceptLanguage].joined(separator: ","))
    }
}

extension UInt8 {
    fileprivate var digit: Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? Int(self - UInt8(ascii: "0")) : nil
    }

    fileprivate var isAlphanumeric: Bool {
        digit != nil || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
