import Testing

@testable import espalierctl

@Suite("typed and received text")
struct WireTextTests {
    @Test("a separator separates next to any character", arguments: ["\u{600}", "\u{301}", "\u{200D}"])
    func separators(_ joining: String) {
        #expect("a\(joining):b".parts(at: ":").count == 2 && "a:\(joining)b".parts(at: ":").count == 2)
        for text in ["100\(joining):0.005", "100:\(joining)0.005", "\(joining)100:0.005"] { #expect(PriceTier(argument: text) == nil) }
        for text in ["5\(joining)h", "\(joining)5h", "5h\(joining)"] { #expect(Span(argument: text) == nil) }
        for text in ["2026-11-01\(joining)", "2026\(joining)-11-01", "2026-\(joining)11-01"] {
            #expect(Day(argument: text) == nil && Instant(argument: text) == nil)
        }
        #expect(AppleKeyFile.keyID(inName: "keys\(joining)/AuthKey_ABCDE12345.p8") == "ABCDE12345")
        #expect(AppleKeyFile.keyID(inName: "AuthKey_ABCDE12345\(joining).p8") == nil)
    }

    @Test("a Kelvin sign is not a K, and only ASCII digits are digits")
    func lookalikes() {
        #expect(AppleKeyFile.keyID(inName: "AuthKey_ABCDE1234\u{212A}.p8") == nil)
        #expect(throws: Failure.self) { try APIKey("esk_live_\u{212A}") }
        #expect(Span(argument: "１２h") == nil && Micros(argument: "１") == nil)
        #expect(!"K".isSame(as: "\u{212A}"))
    }
}
