/// The places of the parts of a button, in points from its top left corner.
///
/// The measures are those of Apple's guidelines and artwork: the font size is 43 % of the height, and the logo has the size and place that
/// it has in Apple's logo file of 44 points. The content is centered and keeps 8 % of the width on each side. A longer text makes the
/// content smaller.
struct ButtonLayout {
    /// A path's scale and its origin.
    struct Place: Equatable {
        var x, y, scale: Double
    }

    private(set) var corner: Double
    private(set) var text, logo: Place

    private static let fontSize = 0.43
    /// Capital letters are 0.727 of the font size high, so their middle is a little above the button's.
    private static let baseline = 0.645
    private static let margin = 0.08
    private static let logoHeight = 19.0 / 44
    private static let logoTop = 10.5 / 44
    /// The empty part of Apple's logo file between the logo and the text.
    private static let gap = 7.0 / 44

    init(_ button: AppleButton) {
        let (width, height) = (Double(button.width), Double(button.height))
        corner = height * Double(button.cornerRadius) / 100
        let textWidth = Double(Outlines.line(button.kind, button.locale).width) / 1000 * Self.fontSize * height
        let logoWidth = Double(AppleLogo.width) / Double(AppleLogo.height) * Self.logoHeight * height
        let content = textWidth + Self.gap * height + logoWidth
        let fit = min(1, width * (1 - 2 * Self.margin) / content)

        let left = (width - content * fit) / 2
        let (textLeft, logoLeft) =
            button.locale.isRightToLeft
            ? (left, left + (textWidth + Self.gap * height) * fit) : (left + (logoWidth + Self.gap * height) * fit, left)
        text = Place(x: textLeft, y: Self.y(Self.baseline, height, fit), scale: Self.fontSize * height * fit / 1000)
        logo = Place(
            x: logoLeft, y: Self.y(Self.logoTop, height, fit), scale: Self.logoHeight * height * fit / Double(AppleLogo.height))
    }

    /// The places in pixels, for a number of pixels per point.
    func enlarged(by scale: Double) -> ButtonLayout {
        var layout = self
        layout.corner *= scale
        layout.text = Place(x: text.x * scale, y: text.y * scale, scale: text.scale * scale)
        layout.logo = Place(x: logo.x * scale, y: logo.y * scale, scale: logo.scale * scale)
        return layout
    }

    /// Smaller content keeps its middle.
    private static func y(_ part: Double, _ height: Double, _ fit: Double) -> Double { height * (0.5 + (part - 0.5) * fit) }
}
