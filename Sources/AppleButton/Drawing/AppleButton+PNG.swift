extension AppleButton {
    /// The button as PNG, with `scale` pixels per point.
    func png(scale: Int) -> [UInt8] {
        let (width, height) = (self.width * scale, self.height * scale)
        let layout = ButtonLayout(self).enlarged(by: Double(scale))

        func coverage(_ paths: PathData...) -> [Float] {
            var coverage = Coverage(width: width, height: height)
            for path in paths { coverage.fill(path) }
            return coverage.parts()
        }
        func rectangle(inset: Double) -> PathData {
            PathData(
                x: inset, y: inset, width: Double(width) - 2 * inset, height: Double(height) - 2 * inset,
                corner: max(0, layout.corner - inset))
        }
        let outside = coverage(rectangle(inset: 0))
        let inside = hasBorder ? coverage(rectangle(inset: Self.borderWidth * Double(scale))) : outside
        let content = coverage(PathData(AppleLogo.path, at: layout.logo), PathData(Outlines.line(kind, locale).path, at: layout.text))

        let (background, foreground): (Float, Float) = color == .black ? (0, 255) : (255, 0)
        let pixels = [UInt8](unsafeUninitializedCapacity: 2 * width * height) { pixels, count in
            count = 2 * width * height
            for index in 0..<width * height {
                let alpha = outside[index]
                // The border covers the part of the pixel that is not inside.
                let border = alpha > 0 ? (alpha - min(alpha, inside[index])) / alpha : 0
                let part = max(border, content[index])
                pixels[2 * index] = alpha > 0 ? UInt8(background + (foreground - background) * part + 0.5) : 0
                pixels[2 * index + 1] = UInt8(alpha * 255 + 0.5)
            }
        }
        return PNG(width: width, height: height, pixels: pixels).bytes
    }

    /// In points.
    static let borderWidth = 1.0
}
