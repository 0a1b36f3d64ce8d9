import Encoding
import Testing

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

    @Test("fields are joined, and a field without a value is left out")
    func fields() throws {
        #expect(Form.encode(["a b": "1&2", "none": nil, "c": "", "payload[x]": "=+"]) == "a%20b=1%262&c=&payload%5Bx%5D=%3D%2B")
        #expect(Form.encode(["none": nil]).isEmpty)
        let form = try Form(Form.encode(["a": "ключ\u{0}\r\n", "b\u{301}": "🍎"]))
        #expect(form["a"] == "ключ\u{0}\r\n" && form["b\u{301}"] == "🍎")
    }

    @Test("every byte is encoded except RFC 3986's unreserved characters")
    func unreserved() {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        for byte in UInt8(0)...0x7F {
            let text = String(Unicode.Scalar(byte))
            let code = "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            #expect(Form.encode(text) == (unreserved.contains(text) ? text : code))
            #expect(Form.encode(byte: byte) == code)
        }
        #expect(Form.encode("é") == "%C3%A9")
    }

    @Test("each pair is a pair, and names do not mix", arguments: joining)
    func separators(_ joining: String) throws {
        let form = try Form("a=1\(joining)&b\(joining)=2&\(joining)c=3&d=\(joining)4")
        #expect(Array(form.names) == ["a", "b\(joining)", "\(joining)c", "d"])
        #expect(form["a"]?.isSame(as: "1\(joining)") == true)
        #expect(form["b"] == nil && form["c"] == nil && form["d"]?.isSame(as: "\(joining)4") == true)
        // Two names that look alike are two names. A repeated one is an error.
        #expect(try Form("%C3%A9=1&e%CC%81=2").names.count == 2)
        #expect(try Form("%E2%84%AA=1")["K"] == nil)
        #expect(throws: Form.Refusal.self) { try Form("a\(joining)=1&a\(joining)=2") }
        for text in ["%4\(joining)1", "%\(joining)41", "%41%\(joining)"] { #expect(throws: Form.Refusal.self) { try Form("a=\(text)") } }
        #expect(try Form("a=%41\(joining)")["a"]?.isSame(as: "A\(joining)") == true)
        // A joining character before or after a separator hides none of them from the reader of an encoded text.
        for separator in ["&", "=", "%", "+", " "] {
            for text in ["\(joining)\(separator)", "\(separator)\(joining)", "\(joining)\(separator)\(joining)"] {
                #expect(Form.encode(text).isASCII)
                let read = try Form(Form.encode(["a": text, text: "b"]))
                #expect(read["a"]?.isSame(as: text) == true && read[text] == "b")
            }
        }
    }
}
