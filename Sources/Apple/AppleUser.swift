import Foundation

/// The name in the `user` field that Apple's first POST carries: a person's own words, sent through their browser,
/// signed by nobody.
///
/// Its e-mail is never read; a browser could put any in. The signed one is in the id_token.
package struct AppleUser: Sendable, Equatable, Unprintable {
    package let givenName: String?
    package let familyName: String?

    /// The largest field that is parsed, in bytes.
    static let largestField = 8 * 1024
    /// The longest name that is kept, in characters and in the Unicode scalars they are made of: a single
    /// character may be built of thousands.
    static let longestName = 100
    static let mostScalars = 200

    /// Reads the field; nil if it is not the JSON that Apple sends or holds no name. A login goes on without it.
    package init?(field: String) {
        guard field.utf8.count <= Self.largestField,
            let form = try? JSONDecoder().decode(Form.self, from: Data(field.utf8))
        else { return nil }
        givenName = form.name.firstName.flatMap(Self.cleaned)
        familyName = form.name.lastName.flatMap(Self.cleaned)
        guard givenName != nil || familyName != nil else { return nil }
    }

    /// A name fit to be shown and stored: in NFC, its white space collapsed, without characters that are invisible,
    /// that reorder what stands beside them, or that control a terminal; nil if nothing is left.
    private static func cleaned(_ name: String) -> String? {
        var kept = String.UnicodeScalarView()
        var spaceBefore = false
        for scalar in name.precomposedStringWithCanonicalMapping.unicodeScalars {
            if scalar.properties.isWhitespace {
                spaceBefore = true
            } else if isVisible(scalar) {
                if spaceBefore, !kept.isEmpty { kept.append(" ") }
                kept.append(scalar)
                spaceBefore = false
            }
        }
        // Removing a character may have brought two together that combine.
        let text = String(kept).precomposedStringWithCanonicalMapping
        var (result, scalars) = ("", 0)
        for character in text.prefix(longestName) {
            scalars += character.unicodeScalars.count
            guard scalars <= mostScalars else { break }
            result.append(character)
        }
        while result.last == " " { result.removeLast() }
        return result.isEmpty ? nil : result
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    private struct Form: Decodable {
        let name: Name
    }

    private struct Name: Decodable {
        let firstName: String?
        let lastName: String?

        private enum CodingKeys: CodingKey {
            case firstName, lastName
        }

        /// A half of the name that is no string is left out; the other half is kept.
        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            firstName = try? fields.decode(String.self, forKey: .firstName)
            lastName = try? fields.decode(String.self, forKey: .lastName)
        }
    }
}
