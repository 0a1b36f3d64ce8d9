import Testing

@testable import Factors

@Suite("Chosen password")
struct ChosenPasswordTests {
    private static let address = "anna.berg@example.com"

    private static func refusal(_ text: String, address: String = address, products: [String] = ["Espalier"]) -> Password.Refusal? {
        do {
            _ = try Password(chosen: text, address: address, products: products)
            return nil
        } catch { return error }
    }

    @Test(
        "a good password is accepted, without rules about kinds of characters",
        arguments: [
            "correct horse battery staple", "kvqzpmwx", "KVQZPMWX", "73950284", "~!@#%^&*", "пароль для сада", "庭の木に水をやる日", "🌳🌲🌴🌱🌿🍀🍁🍂",
            "        x", "\u{A0}\u{2003}tall grass", "zq\"'<>&$;--", "caf\u{E9}\u{E9}\u{E9}\u{E9}\u{E9} lait",
            String(repeating: "tall grass ", count: 93),
        ])
    func accepted(text: String) {
        #expect(Self.refusal(text) == nil)
    }

    @Test("a password has at least 8 code points, counted after normalization, and at most 1,024 bytes")
    func length() {
        #expect(Self.refusal("") == .tooShort)
        #expect(Self.refusal("kvqzpmw") == .tooShort)
        #expect(Self.refusal("kvqzpmwx") == nil)
        // 8 code points that become 4.
        #expect(Self.refusal("e\u{301}o\u{308}a\u{30A}u\u{302}") == .tooShort)
        // 4 characters of 2 code points each, such as flags.
        #expect(Self.refusal("🇩🇪🇸🇪🇫🇷🇯🇵") == nil)
        #expect(Self.refusal(String(repeating: "tall grass ", count: 94)) == .tooLong)
    }

    @Test(
        "control characters and unassigned code points are refused",
        arguments: [
            "kvqz\u{0}pmwx", "kvqz\npmwx", "kvqz\tpmwx", "kvqzpmwx\r", "kvqz\u{7F}pmwx", "kvqz\u{85}pmwx", "kvqz\u{378}pmwx",
            "kvqz\u{FFFF}pmwx",
        ])
    func unreadable(text: String) {
        #expect(Self.refusal(text) == .unreadable)
    }

    @Test(
        "a common password is refused in any case",
        arguments: [
            "password", "PASSWORD", "PassWord", "password1", "Passw0rd", "qwertyuiop", "1q2w3e4r", "1qaz2wsx", "iloveyou", "letmein1",
            "trustno1", "sunshine", "football", "!qaz2wsx", "zzzzzzz1", "12345678", "123456789",
        ])
    func common(text: String) {
        #expect(Self.refusal(text) == .common)
    }

    @Test(
        "a repetition, a row of neighbors and a date are refused",
        arguments: [
            "aaaaaaaa", "        ", "éééééééé", "xyxyxyxyxyxy", "kvqkvqkvq", "hunter7hunter7", "Zz9!Zz9!Zz9!",
            "iloveyouiloveyou", "0123456789", "1234567890123", "9876543210", "34567890", "abcdefgh", "STUVWXYZ", "zyxwvutsr", "24121999",
            "12241999", "19991224", "1999-12-24", "24.12.1999", "12/24/1999", "2031 01 31",
        ])
    func predictable(text: String) {
        // A few are also in the list.
        let refusal = Self.refusal(text)
        #expect(refusal == .predictable || refusal == .common)
    }

    @Test(
        "a text that is only similar to a rule is accepted",
        arguments: ["aaaaaaaab7", "abcdefgi", "kvqkvqkvqx", "24991299", "19993199", "1999-12-240", "0123456798"])
    func notPredictable(text: String) {
        #expect(Self.refusal(text) == nil)
    }

    @Test(
        "the person's own address and its part before the @ are refused anywhere and in any case",
        arguments: [
            "anna.berg@example.com", "xx anna.berg@example.com", "ANNA.BERG@EXAMPLE.COM!", "my anna.berg 1", "Anna.Berg2026!",
        ])
    func ownAddress(text: String) {
        #expect(Self.refusal(text) == .containsAddress)
    }

    @Test("an address counts in each spelling of its letters, and a short part does not count")
    func spellings() {
        #expect(Self.refusal("my JOSE\u{301}LUIS 77", address: "jos\u{E9}luis@example.com") == .containsAddress)
        #expect(Self.refusal("my JOS\u{C9}LUIS 77", address: "jose\u{301}luis@example.com") == .containsAddress)
        #expect(Self.refusal("amazing grass", address: "ama@example.com") == nil)
        #expect(Self.refusal("my ama@example.com", address: "ama@example.com") == .containsAddress)
        #expect(Self.refusal("tall grass 77", address: "") == nil)
        #expect(Self.refusal("tall grass 77", address: "@") == nil)
        // The last @ is the separator.
        #expect(Self.refusal("tall a@bc grass", address: "a@bc@example.com") == .containsAddress)
    }

    @Test("the name of the product and other names are refused")
    func products() {
        #expect(Self.refusal("espalier-2026") == .containsProduct)
        #expect(Self.refusal("MyESPALIERtree") == .containsProduct)
        #expect(Self.refusal("acme tall grass", products: ["Espalier", "Acme"]) == .containsProduct)
        #expect(Self.refusal("acm tall grass", products: ["Espalier", "Acm"]) == nil)
    }

    @Test("each refusal has its own text with the next step")
    func descriptions() {
        #expect(Set(Password.Refusal.allCases.map(\.description)).count == Password.Refusal.allCases.count)
        for refusal in Password.Refusal.allCases { #expect(refusal.description.contains("Choose") || refusal == .unreadable) }
    }
}
