import Encoding
import Testing

@Suite("Consonants")
struct ConsonantsTests {
    @Test("random letters are consonants, and each one occurs")
    func random() {
        var random = SystemRandomNumberGenerator()
        #expect(Consonants.random(0, using: &random).isEmpty)
        let letters = Consonants.random(2000, using: &random)
        #expect(letters.count == 2000 && Set(letters) == Set("BCDFGHJKLMNPQRSTVWXZ".utf8))
    }

    @Test(
        "letters are read in every spelling that a person types",
        arguments: ["BCDF", "bcdf", "BC-DF", " b c d f ", "B--C DF-", String(repeating: " ", count: 60) + "bcdf"])
    func typed(text: String) {
        #expect(Consonants.read(text, count: 4) == Array("BCDF".utf8))
    }

    @Test(
        "any other text is refused, also next to characters that join a letter",
        arguments: [
            "", "-", "BCD", "BCDFG", "BCDA", "BCDY", "BCD0", "BC_DF", "BC\tDF", "BCDF\n", "BCDF\u{0}", "BC\u{2010}DF", "BC\u{A0}DF", "ＢCDF",
            "\u{600}BCDF", "BC\u{600}DF", "BCDF\u{301}", "BC\u{301}-DF", "BC\u{200D}DF", "BC \u{200D}DF", "\u{212A}BCD", "\u{17F}BCD",
            String(repeating: "-", count: 61) + "BCDF",
        ])
    func refused(text: String) {
        #expect(Consonants.read(text, count: 4) == nil)
    }
}
