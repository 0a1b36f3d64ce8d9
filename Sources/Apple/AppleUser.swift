import Encoding
import Foundation

/// The name in the `user` field of Apple's first POST. The person chose it, their browser sent it, and nobody signed
/// it.
///
/// The email address in this field is never read, because a browser could insert any address. The signed address is
/// in the id_token.
package struct AppleUser: Sendable, Equatable, Unprintable {
    package let givenName: String?
    package let familyName: String?

    /// The largest field that is parsed, in bytes.
    static let largestField = 8 * 1024
    /// The longest stored name, in characters and in Unicode scalars. A single character may consist of thousands of
    /// scalars.
    static let longestName = 100
    static let mostScalars = 200

    /// Reads the field; nil if it is not Apple's JSON or contains no name. The login continues without it.
    package init?(field: String) {
        guard field.utf8.count <= Self.largestField,
            case .object(let form)? = try? JSONValue(json: Array(field.utf8)), case .object(let name)? = form["name"]
        else { return nil }
        // A half of the name that is not a string is left out. The other half is used.
        givenName = name["firstName"]?.text.flatMap(Self.cleaned)
        familyName = name["lastName"]?.text.flatMap(Self.cleaned)
        guard givenName != nil || familyName != nil else { return nil }
    }

    /// The halves of the name, from an interface with a field for each; nil if both are missing or empty.
    package init?(givenName: String?, familyName: String?) {
        (self.givenName, self.familyName) = (givenName.flatMap(Self.cleaned), familyName.flatMap(Self.cleaned))
        guard self.givenName != nil || self.familyName != nil else { return nil }
    }

    /// Returns a name that is safe to display and store, or nil if nothing is left.
    ///
    /// The result is in NFC, with collapsed white space. It contains no characters that are invisible, reorder their
    /// neighbors or control a terminal.
    private static func cleaned(_ name: String) -> String? {
        var cleaned = String.UnicodeScalarView()
        var spaceBefore = false
        for scalar in name.precomposedStringWithCanonicalMapping.unicodeScalars {
            if scalar.properties.isWhitespace {
                spaceBefore = true
            } else if isVisible(scalar) {
                if spaceBefore, !cleaned.isEmpty { cleaned.append(" ") }
                cleaned.append(scalar)
                spaceBefore = false
            }
        }
        // The removal of a character may have brought two combining characters together.
        let text = String(cleaned).precomposedStringWithCanonicalMapping
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
}
