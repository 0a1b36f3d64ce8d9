import Sealing
import Testing

@testable import Factors

@Suite("Password")
struct PasswordTests {
    @Test(
        "two spellings of a letter are one password (NIST SP 800-63B-4: normalization form C)",
        arguments: [
            ("cafe\u{301} au lait", "caf\u{E9} au lait"), ("A\u{30A}ngstro\u{308}m", "\u{C5}ngstr\u{F6}m"),
            ("\u{212B}ngstrom", "\u{C5}ngstrom"), ("\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}", "\u{D55C}\u{AD6D}"),
        ])
    func normalized(decomposed: String, composed: String) throws {
        #expect(try #require(Password(typed: decomposed)).bytes == Array(composed.utf8))
        #expect(try #require(Password(typed: composed)).bytes == Array(composed.utf8))
    }

    @Test(
        "texts that only look alike stay different, and nothing is cut off or trimmed",
        arguments: [
            ("\u{FF21}BCDEFGH", "ABCDEFGH"), ("\u{FB01}nancial", "financial"), ("x\u{B2}", "x2"), ("pa\u{440}ol", "papol"),
            (" secret", "secret"), ("secret ", "secret"), ("Secret", "secret"), ("secret\u{0}", "secret"),
            (String(repeating: "a", count: 73), String(repeating: "a", count: 72)),
        ])
    func different(left: String, right: String) throws {
        #expect(try #require(Password(typed: left)).bytes != #require(Password(typed: right)).bytes)
    }

    @Test("a password has at most 1,024 bytes, enough for 64 characters of any script")
    func bound() {
        #expect(Password(typed: String(repeating: "a", count: 1024)) != nil)
        #expect(Password(typed: String(repeating: "a", count: 1025)) == nil)
        #expect(Password(typed: String(repeating: "\u{1F600}", count: 64)) != nil)
        #expect(Password(typed: String(repeating: "\u{1F600}", count: 257)) == nil)
        #expect(Password(typed: "") != nil)
        // The limit does not depend on the keyboard.
        for (composed, decomposed, most) in [("\u{E9}", "e\u{301}", 512), ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}", 341)] {
            for text in [composed, decomposed] {
                #expect(Password(typed: String(repeating: text, count: most)) != nil)
                #expect(Password(typed: String(repeating: text, count: most + 1)) == nil)
            }
        }
    }

    @Test("a password never prints")
    func neverPrints() throws {
        let password = try #require(Password(typed: "hunter2 hunter3"))
        var dumped = ""
        dump(password, to: &dumped)
        for text in ["\(password)", String(reflecting: password), dumped] {
            #expect(text.contains("<secret>") && !text.contains("hunter"))
        }
    }
}
