import Foundation
import Testing
import Web

@testable import AppleButton

@Suite("Parameters of the button")
struct ButtonQueryTests {
    private static func refusal(_ query: String, hasScale: Bool = true) -> Problem? {
        do {
            _ = try ButtonQuery(query, hasScale: hasScale)
            return nil
        } catch { return error as? Problem }
    }

    @Test("without parameters, Apple's defaults apply")
    func defaults() throws {
        for query in ["", "&", "height=30&width=140&color=black&border=false&type=sign-in&border_radius=15&scale=1&locale=en_US"] {
            let query = try ButtonQuery(query, hasScale: true)
            #expect(query.button == AppleButton() && query.scale == 1)
        }
        let button = try ButtonQuery(
            "height=64&width=375&color=white&border=true&type=sign-up&border_radius=50&locale=iw_IL", hasScale: false
        ).button
        #expect(
            button
                == AppleButton(
                    kind: .signUp, color: .white, hasBorder: true, locale: .hebrew, height: 64, width: 375, cornerRadius: 50))
    }

    @Test(
        "a number has limits",
        arguments: [("height", 30, 64), ("width", 130, 375), ("border_radius", 0, 50), ("scale", 1, 6)])
    func limits(_ name: String, _ least: Int, _ most: Int) throws {
        for number in [least, most] { #expect(Self.refusal("\(name)=\(number)") == nil) }
        for text in ["\(least - 1)", "\(most + 1)", "-1", "+\(most)", "0\(most)", "\(most).0", "\(most)%20", "1e2", "99999999999999999999"]
        {
            let problem = try #require(Self.refusal("\(name)=\(text)"), "\(text)")
            #expect(problem.code == .invalid && problem.fields.map(\.field) == [name], "\(text)")
            #expect(problem.detail.contains("from \(least) to \(most)"), "\(problem.detail)")
        }
        let below = try #require(Self.refusal("\(name)=\(least - 1)"))
        #expect(below.detail == "\(name): It is `\(least - 1)`. It must be a whole number from \(least) to \(most).")
    }

    @Test("every choice is accepted, and others get the permitted values")
    func choices() throws {
        for locale in ButtonLocale.allCases {
            #expect(try ButtonQuery("locale=\(locale.rawValue)", hasScale: false).button.locale == locale)
        }
        for kind in AppleButton.Kind.allCases {
            #expect(try ButtonQuery("type=\(kind.rawValue)", hasScale: false).button.kind == kind)
        }
        for (query, detail) in [
            ("color=outlined", "color: It is `outlined`. It must be one of `black`, `white`."),
            ("color=Black", "color: It is `Black`. It must be one of `black`, `white`."),
            ("border=1", "border: It is `1`. It must be `true` or `false`."),
            ("type=signin", "type: It is `signin`. It must be one of `sign-in`, `continue`, `sign-up`."),
            ("color=", "color: It is ``. It must be one of `black`, `white`."),
            ("border", "border: It is ``. It must be `true` or `false`."),
        ] { #expect(Self.refusal(query)?.detail == detail) }
        let locale = try #require(Self.refusal("locale=en"))
        #expect(locale.detail.hasPrefix("locale: It is `en`. It must be one of `ar_SA`, `ca_ES`, ") && locale.detail.hasSuffix("`zh_TW`."))
    }

    @Test("unknown and repeated parameters are rejected, and all errors are listed")
    func unknown() throws {
        let unknown = try #require(Self.refusal("style=black&height=20&border=no"))
        #expect(unknown.fields.map(\.field) == ["style", "height", "border"])
        #expect(unknown.fields[0].detail.contains("Known parameters: `height`, `width`, ") && unknown.fields[0].detail.contains("`scale`"))
        let repeated = try #require(Self.refusal("height=30&height=30"))
        #expect(repeated.fields.map(\.field) == ["height"] && repeated.fields[0].detail.contains("repeated"))
        #expect(try #require(Self.refusal("foo&foo")).fields.map(\.field) == ["foo"])
        #expect(Self.refusal("height=%3")?.code == .invalid && Self.refusal("height=%FF")?.code == .invalid)
        #expect(Self.refusal(String(repeating: "a&", count: 70))?.code == .invalid)
    }

    @Test("at most 20 mistakes are reported, and the known names once")
    func most() throws {
        let names = (1...60).map { "p\($0)" }
        let problem = try #require(Self.refusal(names.joined(separator: "&")))
        #expect(problem.fields.map(\.field) == Array(names.prefix(20)))
        #expect(problem.detail.components(separatedBy: "Known parameters").count == 2 && problem.detail.utf8.count < 1200)
    }

    @Test("an SVG has no scale, and the error explains it")
    func scale() throws {
        let problem = try #require(Self.refusal("scale=2", hasScale: false))
        #expect(problem.fields.map(\.field) == ["scale"] && problem.fields[0].detail.hasPrefix("An SVG has no pixels, so it has no scale."))
        #expect(!problem.fields[0].detail.contains("`scale`"))
    }

    @Test(
        "text is compared by bytes, and an error shows no invisible character",
        arguments: [
            "height=30%D8%80", "height=3%CC%810", "color=black%E2%80%8D", "color=%D8%80black", "type=continue%CC%81",
            "border=true%E2%80%8D",
            // A Kelvin sign is canonically equivalent to a K.
            "locale=ko_%E2%84%AAR", "locale=da_D%E2%84%AA", "heigh%D8%80t=30", "heigh%E2%80%8Dt=30", "height%CC%81=30",
        ])
    func bytes(_ query: String) throws {
        let problem = try #require(Self.refusal(query))
        #expect(problem.code == .invalid && problem.fields.count == 1)
        #expect(!problem.detail.unicodeScalars.contains { ["\u{600}", "\u{301}", "\u{200D}"].contains($0) }, "\(problem.detail)")
    }

    @Test("an error repeats only the start of a long value")
    func long() throws {
        let problem = try #require(Self.refusal("color=" + String(repeating: "x", count: 5000)))
        #expect(problem.detail.utf8.count < 150 && problem.detail.contains("x…`"))
        let name = try #require(Self.refusal(String(repeating: "y", count: 5000) + "=1"))
        #expect(name.detail.utf8.count < 400)
    }
}
