@testable import Devices
import Testing

@Suite("User code")
struct UserCodeTests {
    @Test("a code has 8 consonants in two groups, and is read in every spelling that a person types")
    func typed() throws {
        let code = UserCode.random()
        #expect(code.text.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil)
        let plain = code.text.replacing("-", with: "")
        for text in [
            code.text, code.text.lowercased(), plain, plain.lowercased(), " \(plain) ", code.text.replacing("-", with: " - "),
            plain.map { "\($0)" }.joined(separator: " "),
        ] { #expect(UserCode(text) == code, "\(text)") }
        #expect(Set((0..<100).map { _ in UserCode.random().text }).count == 100)
    }

    @Test(
        "any other text is not a code, also next to characters that join a letter",
        arguments: [
            "", "-", "BCDFGHJ", "BCDFGHJKL", "BCDF-GHJA", "BCDF-GHJ1", "BCDF_GHJK", "BCDF\u{2010}GHJK", "BCDF-GHJ\u{212A}",
            "BCDF-GHJK\u{301}", "BCDF\u{600}-GHJK", "BCDF-\u{200D}GHJK", "BCDF-GHJK\u{0}", "BCDF\tGHJK", "ＢCDF-GHJK",
            String(repeating: " ", count: 60) + "BCDFGHJK",
        ])
    func refused(text: String) {
        #expect(UserCode(text) == nil)
    }
}
