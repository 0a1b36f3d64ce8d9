import Foundation
import Pages
import Testing

@Suite("Color")
struct ColorTests {
    @Test("contrast ratios equal those of WCAG 2.2, in both directions")
    func contrast() {
        for (one, two, ratio) in [
            (Color.black, Color.white, 21), (.white, .white, 1), (Color(red: 118, green: 118, blue: 118), .white, 4.54),
            (Color(red: 0, green: 0, blue: 255), .white, 8.59), (Color(red: 255, green: 0, blue: 0), .white, 4.0),
        ] {
            #expect(abs(one.contrast(with: two) - ratio) < 0.01, "\(one) \(two): \(one.contrast(with: two))")
            #expect(one.contrast(with: two) == two.contrast(with: one))
        }
    }

    @Test("the text of a button can be read on every color")
    func text() {
        for red in stride(from: UInt8(0), through: 255, by: 15) {
            for green in stride(from: UInt8(0), through: 255, by: 15) {
                for blue in stride(from: UInt8(0), through: 255, by: 15) {
                    let color = Color(red: red, green: green, blue: blue)
                    #expect(color.contrast(with: color.text) >= 4.58)
                }
            }
        }
        #expect(Color(red: 255, green: 255, blue: 0).text == .black)
        #expect(Color(red: 1, green: 2, blue: 16).description == "#010210")
    }
}
