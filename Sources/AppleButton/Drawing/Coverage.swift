/// The part of each pixel that contours cover.
///
/// An edge adds its signed height to the pixel that it crosses, split between the pixel and its right neighbor by the area on its right.
/// The sum of a row up to a pixel is then the exact covered area of the pixel. All outlines run in the same direction, so overlapping
/// glyphs, such as joined Arabic letters, add up to more than 1, which counts as 1: the nonzero rule.
struct Coverage {
    private let width, height: Int
    private var cells: [Float]

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        // An edge at the right end adds to the cell after it.
        cells = Array(repeating: 0, count: (width + 2) * height)
    }

    mutating func fill(_ path: PathData) {
        for contour in path.contours {
            var last = contour[contour.count - 1]
            for point in contour {
                edge(last.x, last.y, point.x, point.y)
                last = point
            }
        }
    }

    /// Returns the covered part of each pixel, row by row, from 0 to 1.
    func parts() -> [Float] {
        var parts = [Float](repeating: 0, count: width * height)
        parts.withUnsafeMutableBufferPointer { parts in
            cells.withUnsafeBufferPointer { cells in
                for row in 0..<height {
                    var sum: Float = 0
                    for column in 0..<width {
                        sum += cells[row * (width + 2) + column]
                        parts[row * width + column] = min(1, abs(sum))
                    }
                }
            }
        }
        return parts
    }

    private mutating func edge(_ startX: Double, _ startY: Double, _ endX: Double, _ endY: Double) {
        guard startY != endY else { return }
        let direction: Double = startY < endY ? 1 : -1
        var (x, y, lastX, lastY) = direction > 0 ? (startX, startY, endX, endY) : (endX, endY, startX, startY)
        let slope = (lastX - x) / (lastY - y)
        // No part of a button is outside of it. This is for rounding.
        lastY = min(lastY, Double(height))
        lastX = min(max(lastX, 0), Double(width))
        while y < lastY {
            let row = Int(y)
            let nextY = min(Double(row + 1), lastY)
            let nextX = nextY == lastY ? lastX : x + (nextY - y) * slope
            piece(row, from: x, to: nextX, height: (nextY - y) * direction)
            (x, y) = (nextX, nextY)
        }
    }

    /// The piece of an edge in one row.
    private mutating func piece(_ row: Int, from start: Double, to end: Double, height: Double) {
        let (left, right) = (min(start, end), max(start, end))
        let first = row * (width + 2)
        guard Int(right) > Int(left) else {
            add(height, at: (left + right) / 2, in: Int(left), first)
            return
        }
        let perPixel = height / (right - left)
        var x = left
        while x < right {
            let next = min(Double(Int(x) + 1), right)
            add((next - x) * perPixel, at: (x + next) / 2, in: Int(x), first)
            x = next
        }
    }

    private mutating func add(_ height: Double, at middle: Double, in column: Int, _ first: Int) {
        let rest = middle - Double(column)
        cells[first + column] += Float(height * (1 - rest))
        cells[first + column + 1] += Float(height * rest)
    }
}
