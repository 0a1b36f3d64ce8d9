/// The contours of a path as polygons, in pixels.
struct PathData {
    typealias Point = (x: Double, y: Double)

    private(set) var contours: [[Point]] = []

    /// Reads the data of an SVG path in the form of `Outlines`: whole numbers, an absolute `M`, and the relative commands `m l h v c q z`.
    /// - Parameter place: Where the path is drawn. Curves become lines that are accurate to 1/20 of a pixel.
    init(_ data: String, at place: ButtonLayout.Place) {
        var reader = Reader(bytes: Array(data.utf8))
        var (x, y) = (0, 0)
        var start = (x: 0, y: 0)
        var contour: [Point] = []
        func point(_ x: Int, _ y: Int) -> Point { (place.x + Double(x) * place.scale, place.y + Double(y) * place.scale) }
        while let command = reader.command() {
            switch command {
            case UInt8(ascii: "M"), UInt8(ascii: "m"):
                let isAbsolute = command == UInt8(ascii: "M")
                (x, y) = (reader.number() + (isAbsolute ? 0 : x), reader.number() + (isAbsolute ? 0 : y))
                start = (x, y)
                contour = [point(x, y)]
            case UInt8(ascii: "l"): (x, y) = (x + reader.number(), y + reader.number())
            case UInt8(ascii: "h"): x += reader.number()
            case UInt8(ascii: "v"): y += reader.number()
            case UInt8(ascii: "q"):
                let control = point(x + reader.number(), y + reader.number())
                (x, y) = (x + reader.number(), y + reader.number())
                contour.appendCurve(control, to: point(x, y))
            case UInt8(ascii: "c"):
                let first = point(x + reader.number(), y + reader.number())
                let second = point(x + reader.number(), y + reader.number())
                (x, y) = (x + reader.number(), y + reader.number())
                contour.appendCurve(first, second, to: point(x, y))
            default:
                contours.append(contour)
                (x, y) = start
                continue
            }
            contour.append(point(x, y))
        }
    }

    /// A rectangle with round corners.
    init(x: Double, y: Double, width: Double, height: Double, corner: Double) {
        // The distance of the control points of a quarter circle from its ends, per radius.
        let inset = corner * (1 - 0.5522847498)
        let (right, bottom) = (x + width, y + height)
        var contour: [Point] = [(x + corner, y), (right - corner, y)]
        contour.appendCurve((right - inset, y), (right, y + inset), to: (right, y + corner))
        contour.append((right, bottom - corner))
        contour.appendCurve((right, bottom - inset), (right - inset, bottom), to: (right - corner, bottom))
        contour.append((x + corner, bottom))
        contour.appendCurve((x + inset, bottom), (x, bottom - inset), to: (x, bottom - corner))
        contour.append((x, y + corner))
        contour.appendCurve((x, y + inset), (x + inset, y), to: (x + corner, y))
        contours = [contour]
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0
        /// A command applies to all numbers until the next one.
        var last: UInt8 = 0

        mutating func command() -> UInt8? {
            while position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
            guard position < bytes.count else { return nil }
            if bytes[position] > UInt8(ascii: "9") {
                last = bytes[position]
                position += 1
            }
            return last
        }

        mutating func number() -> Int {
            while bytes[position] == UInt8(ascii: " ") { position += 1 }
            let isNegative = bytes[position] == UInt8(ascii: "-")
            if isNegative { position += 1 }
            var number = 0
            while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
                number = number * 10 + Int(bytes[position] - UInt8(ascii: "0"))
                position += 1
            }
            return isNegative ? -number : number
        }
    }
}

extension [PathData.Point] {
    /// In pixels.
    private static var tolerance: Double { 0.05 }

    /// Appends a quadratic Bézier curve without its last point, if a line is not accurate enough.
    fileprivate mutating func appendCurve(_ control: Element, to end: Element) {
        let start = self[count - 1]
        // A step of 1/n of a curve is at most 1/(8n²) of the second derivative away from its line.
        let bend = 2 * (abs(start.x - 2 * control.x + end.x) + abs(start.y - 2 * control.y + end.y))
        let steps = (bend / (8 * Self.tolerance)).squareRoot().rounded(.up)
        for step in stride(from: 1, to: steps, by: 1) {
            let (after, before) = (step / steps, 1 - step / steps)
            let (a, b, c) = (before * before, 2 * before * after, after * after)
            append((a * start.x + b * control.x + c * end.x, a * start.y + b * control.y + c * end.y))
        }
    }

    /// The same for a cubic Bézier curve.
    fileprivate mutating func appendCurve(_ first: Element, _ second: Element, to end: Element) {
        let start = self[count - 1]
        let bend =
            6
            * Swift.max(
                abs(start.x - 2 * first.x + second.x) + abs(start.y - 2 * first.y + second.y),
                abs(first.x - 2 * second.x + end.x) + abs(first.y - 2 * second.y + end.y))
        let steps = (bend / (8 * Self.tolerance)).squareRoot().rounded(.up)
        for step in stride(from: 1, to: steps, by: 1) {
            let (after, before) = (step / steps, 1 - step / steps)
            let (a, b) = (before * before * before, 3 * before * before * after)
            let (c, d) = (3 * before * after * after, after * after * after)
            append((a * start.x + b * first.x + c * second.x + d * end.x, a * start.y + b * first.y + c * second.y + d * end.y))
        }
    }
}
