import Encoding

/// The elements and attributes of SVG that draw a still picture. None of them loads, runs or animates anything.
enum SVGNames {
    static let elements = [
        "svg", "g", "defs", "symbol", "use", "title", "desc", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon",
        "linearGradient", "radialGradient", "stop", "clipPath", "mask",
    ]

    /// The attributes besides `id`, `href` and `style`. `SVGValue` checks their values.
    static let attributes: Set<String> = geometry.union(presentation)

    private static let geometry: Set<String> = [
        "viewBox", "preserveAspectRatio", "width", "height", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "fx", "fy",
        "fr", "d", "points", "pathLength", "offset", "gradientUnits", "gradientTransform", "spreadMethod", "clipPathUnits", "maskUnits",
        "maskContentUnits",
    ]

    /// The properties that are attributes, and that `style` may have.
    static let presentation: Set<String> = [
        "transform", "transform-origin", "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap",
        "stroke-linejoin", "stroke-miterlimit", "stroke-dasharray", "stroke-dashoffset", "opacity", "color", "stop-color", "stop-opacity",
        "clip-path", "clip-rule", "mask", "mask-type", "display", "visibility", "overflow", "paint-order", "vector-effect",
        "shape-rendering", "color-interpolation", "color-rendering", "mix-blend-mode", "isolation", "marker", "marker-start", "marker-mid",
        "marker-end", "filter",
    ]

    /// Whether an attribute has no effect on a picture without style sheets and scripts.
    static func isDropped(_ attribute: String) -> Bool {
        ["class", "version", "baseProfile", "enable-background", "role", "focusable", "lang"].has(attribute)
            || attribute.begins(with: "data-") || attribute.begins(with: "aria-")
    }

    /// The next step for a person with this element in a logo.
    static func advice(onElement name: String) -> String {
        switch name {
        case "text", "tspan", "textPath", "font", "font-face": "Convert text to paths"
        case "style": "Export with presentation attributes instead of a style sheet"
        case "image", "feImage": "Draw it with shapes, or use a PNG"
        case "filter", "pattern", "marker": "Draw it with shapes, or use a PNG"
        default: "Remove it"
        }
    }
}
