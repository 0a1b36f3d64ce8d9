import Web

extension AppleButton {
    /// The button as SVG. It contains no font, style or script. The text is the name for screen readers.
    var svg: String {
        let layout = ButtonLayout(self)
        let line = Outlines.line(kind, locale)
        let text = line.text.escapedForHTML
        let (background, foreground) = color == .black ? ("#000", "#fff") : ("#fff", "#000")
        // The middle of the border is on the edge of the rectangle.
        let inset = hasBorder ? Self.borderWidth / 2 : 0
        let rectangle = """
            <rect x="\(inset.short)" y="\(inset.short)" width="\((Double(width) - 2 * inset).short)" \
            height="\((Double(height) - 2 * inset).short)" rx="\(max(0, layout.corner - inset).short)" fill="\(background)"\
            \(hasBorder ? " stroke=\"\(foreground)\"" : "")/>
            """
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" role="img" \
            aria-label="\(text)" lang="\(locale.languageTag)" xml:lang="\(locale.languageTag)"><title>\(text)</title>
            \(rectangle)
            <g fill="\(foreground)">
            <path transform="\(layout.logo.transform)" d="\(AppleLogo.path)"/>
            <path transform="\(layout.text.transform)" d="\(line.path)"/>
            </g>
            </svg>

            """
    }
}

extension ButtonLayout.Place {
    fileprivate var transform: String { "translate(\(x.short) \(y.short)) scale(\(scale.short))" }
}

extension Double {
    /// With up to 5 decimals, and without zeros at the end. The number is not negative.
    fileprivate var short: String {
        let parts = Int((self * 100_000).rounded())
        guard parts % 100_000 != 0 else { return "\(parts / 100_000)" }
        var decimals = String(100_000 + parts % 100_000).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(parts / 100_000).\(decimals)"
    }
}
