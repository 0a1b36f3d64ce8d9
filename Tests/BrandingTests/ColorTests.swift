import Pages
import Testing

@Suite("Color")
struct ColorTests {
    @Test("a contrast is the ratio of WCAG 2.2, in either order")
    func contrast() throws {
        let white = Color(red: 255, green: 255, blue: 255)
        for (hex, expected) in [
            ("#000000", 21.0), ("#ffffff", 1), ("#767676", 4.54), ("#949494", 3.03), ("#ff0000", 4.0), ("#0000ff", 8.59),
        ] {
            let color = try #require(Color(hex: hex))
            #expect(abs(color.contrast(with: white) - expected) < 0.01, "\(hex) \(color.contrast(with: white))")
            #expect(color.contrast(with: white) == white.contrast(with: color))
        }
    }

    @Test("the text of a color is what was read, in lowercase", arguments: ["#000000", "#0A7D5C", "#ffffff"])
    func text(_ hex: String) {
        #expect(Color(hex: hex)?.description == hex.lowercased())
    }

    @Test(
        "another text is not a color",
        arguments: ["", "#", "0a7d5c", "#0a7d5", "#0a7d5c0", "#0g7d5c", "#+a7d5c", "#\u{FF10}a7d5c", "#0x7d5c"])
    func refuses(_ hex: String) {
        #expect(Color(hex: hex) == nil)
    }
}
