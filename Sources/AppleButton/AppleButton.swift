/// A Sign in with Apple button according to Apple's Human Interface Guidelines, with the parameters and limits of Apple's own button image.
package struct AppleButton: Hashable, Sendable {
    /// The text. The raw value is Apple's name for it.
    package enum Kind: String, CaseIterable, Sendable {
        case signIn = "sign-in"
        case continueWith = "continue"
        case signUp = "sign-up"
    }

    /// The color of the button. The logo, the text and the border have the other one.
    package enum Color: String, CaseIterable, Sendable {
        case black, white
    }

    /// The three looks of Apple's guidelines.
    package enum Style: CaseIterable, Sendable {
        /// For a light background.
        case black
        /// For a dark background.
        case white
        /// White with a black outline, for a light background.
        case outlined
    }

    var kind = Kind.signIn
    var color = Color.black
    var hasBorder = false
    var locale = ButtonLocale.english
    /// In points, as `width`.
    var height = 30
    var width = 140
    /// The radius of the corners in percent of the height. With 50, the ends are half circles.
    var cornerRadius = 15

    /// Apple's limits. A sign-in page that needs another size scales the SVG.
    static let heights = 30...64
    static let widths = 130...375
    static let cornerRadii = 0...50
    static let scales = 1...6

    /// The button as SVG, for a page that contains it or for a file.
    package static func svg(
        style: Style = .black, kind: Kind = .signIn, locale: ButtonLocale = .english, width: Int = 140, height: Int = 30,
        cornerRadius: Int = 15
    ) -> String {
        precondition(widths.contains(width) && heights.contains(height) && cornerRadii.contains(cornerRadius), "outside of Apple's limits")
        return AppleButton(
            kind: kind, color: style == .black ? .black : .white, hasBorder: style == .outlined, locale: locale, height: height,
            width: width, cornerRadius: cornerRadius
        ).svg
    }

    /// The text that is drawn, for example as the name of a button for screen readers.
    package static func text(_ kind: Kind, _ locale: ButtonLocale) -> String { Outlines.line(kind, locale).text }
}
