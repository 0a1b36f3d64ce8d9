import Testing
import Web

@Suite("Form")
struct FormTests {
    @Test("a field is decoded: plus, percent, UTF-8")
    func decoding() throws {
        let form = try Form("a=one+two&b=%C3%A9%2B&c=x%3Dy=z")
        #expect(form["a"] == "one two")
        #expect(form["b"] == "é+")
        #expect(form["c"] == "x=y=z")
    }

    @Test("an empty value counts as absent")
    func empty() throws {
        let form = try Form("a=&b&c=1&&")
        #expect(form["a"] == nil)
        #expect(form["b"] == nil)
        #expect(form["c"] == "1")
    }

    @Test("a repeated field is rejected, even if one value is empty")
    func repeated() {
        #expect(throws: Form.Refusal.self) { try Form("a=1&a=2") }
        #expect(throws: Form.Refusal.self) { try Form("a=1&%61=") }
    }

    @Test("a repeatable parameter has all its values, without the empty ones; no other may be repeated")
    func repeatable() throws {
        let form = try Form("b=1&a=x&a=&%61=y%20z&c=2", repeatable: ["a"])
        #expect(form.values("a") == ["x", "y z"])
        #expect(form.values("b") == ["1"] && form.values("none").isEmpty)
        #expect(throws: Form.Refusal.self) { try Form("b=1&b=2&a=x", repeatable: ["a"]) }
        #expect(throws: Form.Refusal.self) { try Form((0..<100).map { "a=\($0)" }.joined(separator: "&"), repeatable: ["a"]) }
    }

    @Test("a malformed field is rejected", arguments: ["a=%", "a=%2", "a=%zz", "a=%ff", "%C3=1"])
    func malformed(_ text: String) {
        #expect(throws: Form.Refusal.self) { try Form(text) }
    }

    @Test("too many fields are rejected")
    func flood() {
        let many = (0..<100).map { "f\($0)=1" }.joined(separator: "&")
        #expect(throws: Form.Refusal.self) { try Form(many) }
    }

    @Test("encoded text decodes to the same text", arguments: ["", "a b+c&d=e%", "ключ\u{0}\r\n", "🍎"])
    func roundTrip(_ text: String) {
        #expect(Form.decode(Form.encode(text)) == text)
    }
}
