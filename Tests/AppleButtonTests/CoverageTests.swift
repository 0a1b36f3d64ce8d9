import Testing

@testable import AppleButton

@Suite("Coverage")
struct CoverageTests {
    private static let places = ButtonLayout.Place(x: 0, y: 0, scale: 0.01)

    /// The coverage of paths, in hundredths of a pixel.
    private static func parts(_ paths: String..., width: Int, height: Int) -> [Float] {
        var coverage = Coverage(width: width, height: height)
        for path in paths { coverage.fill(PathData(path, at: places)) }
        return coverage.parts()
    }

    private static func isClose(_ parts: [Float], _ expected: [Float]) -> Bool {
        parts.count == expected.count && zip(parts, expected).allSatisfy { abs($0 - $1) < 0.0001 }
    }

    @Test("a rectangle covers parts of its pixels, in both directions")
    func rectangle() {
        // From 0.5 to 2.25, and from 0.25 to 2.
        let expected: [Float] = [0.375, 0.75, 0.1875, 0, 0.5, 1, 0.25, 0, 0, 0, 0, 0]
        #expect(Self.isClose(Self.parts("M50 25h175v175h-175z", width: 4, height: 3), expected))
        #expect(Self.isClose(Self.parts("M50 25v175h175v-175z", width: 4, height: 3), expected))
    }

    @Test("a slope covers triangles of pixels")
    func slope() {
        #expect(Self.isClose(Self.parts("M0 0h200l-200 200z", width: 2, height: 2), [1, 0.5, 0.5, 0]))
        // A flat edge crosses several pixels of a row.
        #expect(Self.isClose(Self.parts("M0 0h400l-400 100z", width: 4, height: 1), [0.875, 0.625, 0.375, 0.125]))
    }

    @Test("overlapping shapes count once, and a hole stays empty")
    func winding() {
        #expect(Self.isClose(Self.parts("M0 0h200v100h-200z", "M100 0h200v100h-200z", width: 4, height: 1), [1, 1, 1, 0]))
        #expect(Self.isClose(Self.parts("M0 0h300v300h-300zm100 100v100h100v-100z", width: 3, height: 3), [1, 1, 1, 1, 0, 1, 1, 1, 1]))
    }

    @Test("a circle of curves has the area of a circle")
    func circle() {
        var coverage = Coverage(width: 40, height: 40)
        coverage.fill(PathData(x: 5, y: 5, width: 30, height: 30, corner: 15))
        let area = coverage.parts().reduce(0, +)
        // Its lines leave the curve by up to 0.03 pixels.
        #expect(abs(area - 225 * .pi) < 0.03 * 30 * .pi)
    }

    @Test("a contour at the edges of the image stays in it")
    func edges() {
        #expect(Self.isClose(Self.parts("M0 0h300v200h-300z", width: 3, height: 2), [1, 1, 1, 1, 1, 1]))
    }
}
