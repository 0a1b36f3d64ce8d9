/// The rule for a name that a page shows to its users, and that someone else has chosen.
package enum DisplayName {
    /// In characters.
    package static let length = 1...200

    /// The reason for refusing a name, or nil.
    package static func refusal(of name: String) -> String? {
        let scalars = name.unicodeScalars
        guard length.contains(scalars.count) else { return "It must have \(length.lowerBound) to \(length.upperBound) characters." }
        guard scalars.allSatisfy(\.isVisible) else { return "It must not contain invisible characters." }
        guard scalars.contains(where: { !$0.properties.isWhitespace }) else { return "It must not be blank." }
        return nil
    }

    /// A name that may break the rule, with a blank in place of each invisible character.
    package static func visible(_ name: String) -> String {
        var visible = String.UnicodeScalarView()
        for scalar in name.unicodeScalars { visible.append(scalar.isVisible ? scalar : " ") }
        return String(visible)
    }
}

extension Unicode.Scalar {
    /// Whether a name on a page may contain it. A format character, such as U+202E, would change the order or the look of the text around
    /// it.
    fileprivate var isVisible: Bool {
        // The blank of Braille has a general category of visible characters.
        guard !properties.isDefaultIgnorableCodePoint, value != 0x2800 else { return false }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}
