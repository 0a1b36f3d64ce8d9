import Foundation
import Testing

@testable import AppleSimulator

/// The text of the simulator's pages is readable in light and in dark (WCAG 2.2, success criterion 1.4.3: 4.5 to 1).
/// `script/check-browser` measures the same in Chromium on every page.
@Suite("Contrast")
struct ContrastTests {
    /// Each text color with a color behind it.
    static let pairs = [
        ("ink", "ground"), ("ink", "card"), ("soft", "card"), ("ink", "button"), ("soft", "button"), ("ink", "face"), ("link", "card"),
        ("on-primary", "primary"), ("on-primary", "primary-hover"), ("ink", "field"),
    ]

    /// The variables of the first `:root` in a text, such as `ink` for `--ink`.
    private static func colors(_ css: Substring) -> [String: [Double]] {
        let root = css.split(separator: "}", maxSplits: 1).first ?? ""
        return Dictionary(
            root.matches(of: /--([a-z-]+):#([0-9a-f]+)/).map { match in
                let digits = match.2.count == 3 ? match.2.map { "\($0)\($0)" }.joined() : String(match.2)
                let number = Int(digits, radix: 16)!
                return (String(match.1), [number >> 16, number >> 8 & 255, number & 255].map { Double($0) / 255 })
            }, uniquingKeysWith: { $1 })
    }

    /// WCAG 2.2, "relative luminance" and "contrast ratio".
    private static func ratio(_ one: [Double], _ other: [Double]) -> Double {
        func luminance(_ color: [Double]) -> Double {
            let linear = color.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        }
        let (a, b) = (luminance(one), luminance(other))
        return (max(a, b) + 0.05) / (min(a, b) + 0.05)
    }

    @Test("each text has a contrast of 4.5 to 1 or more, in light and in dark")
    func contrast() throws {
        #expect(abs(Self.ratio([0, 0, 0], [1, 1, 1]) - 21) < 0.001)
        let css = Substring(Pages.style)
        let dark = try #require(css.firstRange(of: "@media (prefers-color-scheme:dark)"))
        for (scheme, colors) in [("light", Self.colors(css)), ("dark", Self.colors(css[dark.upperBound...]))] {
            for (text, ground) in Self.pairs {
                let ratio = Self.ratio(try #require(colors[text]), try #require(colors[ground]))
                #expect(ratio >= 4.5, "\(scheme): \(text) on \(ground) has \(ratio)")
            }
        }
        // A color that is not a variable would be the same in light and dark.
        let rules = css.split(separator: "*{box-sizing").last ?? ""
        #expect(!rules.contains(/(?:^|[^-])(?:color|background):\s*#/))
    }
}
