import AppleButton
import Encoding
import Pages

/// A Sign in with Apple button on a page: a link with Apple's image, which is black on a light page and white on a dark one.
///
/// Apple's guidelines permit no other words and colors. An image is stored by the browser, unlike an SVG in each page.
struct ButtonImage {
    private let kind: AppleButton.Kind
    private let locale: ButtonLocale

    /// In points. Apple recommends at least 44 points for a touch. The width fits the narrowest phones.
    private static let size = (width: 252, height: 48)

    init(_ kind: AppleButton.Kind, in language: Language) {
        (self.kind, locale) = (kind, ButtonLocale(language: language.rawValue) ?? .english)
    }

    /// The values for `link`.
    func content(leadingTo target: String) -> [String: Any] {
        [
            "target": target, "label": AppleButton.text(kind, locale), "black": image("black"), "white": image("white"),
            "width": Self.size.width, "height": Self.size.height,
        ]
    }

    /// The part of a template.
    static let link = """
        <p><a class="apple" href="{{target}}"><picture><source media="(prefers-color-scheme: dark)" srcset="{{white}}"><img src="{{black}}" \
        alt="{{label}}" width="{{width}}" height="{{height}}"></picture></a></p>
        """

    private func image(_ color: String) -> String {
        "/button.svg?"
            + Form.encode([
                "type": kind.rawValue, "color": color, "locale": locale.rawValue, "width": "\(Self.size.width)",
                "height": "\(Self.size.height)",
            ])
    }
}
