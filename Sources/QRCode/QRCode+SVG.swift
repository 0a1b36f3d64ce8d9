extension QRCode {
    /// The light modules that the standard demands around a symbol (ISO/IEC 18004:2015, section 6.3.8).
    private static let quietZone = 4
    /// In pixels of CSS.
    private static let moduleWidth = 4

    /// The code as an inline SVG with its quiet zone, from 116 to 260 pixels wide.
    ///
    /// It is dark on light in dark mode too, because not all readers find the inverse. It has no style, script or text, so every Content
    /// Security Policy permits it, and nothing in it needs an escape. Assistive technology skips it: next to it, the page must offer the
    /// same content as text.
    package var svg: String {
        let side = size + 2 * Self.quietZone
        let width = side * Self.moduleWidth
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(width)" viewBox="0 0 \(side) \(side)" \
            shape-rendering="crispEdges" aria-hidden="true"><path fill="#fff" d="M0 0h\(side)v\(side)H0z"/>\
            <path d="\(path)"/></svg>
            """
    }

    /// A rectangle for each run of dark modules in a row.
    private var path: String {
        var path = ""
        for y in 0..<size {
            var start: Int?
            for x in 0...size {
                let isDark = x < size && isDark(x: x, y: y)
                if isDark, start == nil { start = x }
                guard !isDark, let first = start else { continue }
                path += "M\(first + Self.quietZone) \(y + Self.quietZone)h\(x - first)v1h\(first - x)z"
                start = nil
            }
        }
        return path
    }
}
