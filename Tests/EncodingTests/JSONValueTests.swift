import Encoding
import Testing

@Suite("JSON value")
struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue {
        try JSONValue(json: Array(text.utf8))
    }

    @Test("every kind of value is read")
    func kinds() throws {
        #expect(try parse(" { } ") == .object([:]))
        #expect(try parse("[]\n") == .array([]))
        #expect(
            try parse(#"{"a": [1, -2.5, "x", true, false, null], "b": {"c": ""}}"#)
                == .object([
                    "a": .array([.integer(1), .number(-2.5), .string("x"), .bool(true), .bool(false), .null]),
                    "b": .object(["c": .string("")]),
                ]))
    }

    @Test("a string's escapes are decoded")
    func escapes() throws {
        #expect(try parse(#""\"\\\/\b\f\n\r\t\u00e9\uD83C\udf4e é🍎""#) == .string("\"\\/\u{8}\u{c}\n\r\té🍎 é🍎"))
        #expect(try parse(#""\u0000""#) == .string("\0"))
        // Noncharacters are scalars too.
        #expect(try parse(#""\uffff""#) == .string("\u{FFFF}"))
    }

    @Test("an escape at any position of a string is decoded")
    func escapePositions() throws {
        for (before, after) in [("", ""), ("a", ""), ("", "b"), ("é🍎", "\u{600}"), (String(repeating: "x", count: 100), "y")] {
            #expect(try parse("\"\(before)\\n\(after)\"") == .string("\(before)\n\(after)"))
            #expect(try parse("\"\(before)\\\"\(after)\\\\\"") == .string("\(before)\"\(after)\\"))
            for control in ["\n", "\0", "\u{1F}"] {
                #expect(throws: JSONValue.Malformed.self) { try parse("\"\(before)\(control)\(after)\"") }
                #expect(throws: JSONValue.Malformed.self) { try parse("\"\(before)\\n\(control)\(after)\"") }
            }
            for unfinished in ["\"\(before)", "\"\(before)\\", "\"\(before)\\n\(after)", "\"\(before)\\n\(after)\\"] {
                #expect(throws: JSONValue.Malformed.self) { try parse(unfinished) }
            }
        }
    }

    @Test("a value of one type is read, and any other value is none")
    func types() throws {
        #expect(try parse(#""a""#).text == "a" && parse("1").wholeNumber == 1 && parse("1.0").wholeNumber == 1)
        for other in ["null", "true", "1.5", "[]", "{}"] {
            #expect(try parse(other).text == nil && parse(other).wholeNumber == nil)
        }
        #expect(try parse("1").text == nil && parse(#""1""#).wholeNumber == nil)
    }

    @Test(
        "a whole number is an integer in any spelling",
        arguments: [("0", 0), ("-0", 0), ("1.0", 1), ("1e2", 100), ("-5E+0", -5), ("9223372036854775807", Int.max)])
    func integers(_ text: String, _ number: Int) throws {
        #expect(try parse(text) == .integer(number))
    }

    @Test("a huge integer is a number, and one that no double represents is rejected")
    func huge() throws {
        #expect(try parse("9223372036854775808") == .number(9_223_372_036_854_775_808))
        #expect(try parse("1" + String(repeating: "0", count: 300)) == .number(1e300))
        #expect(try parse("1e-400") == .integer(0))
        for text in ["1e400", "-1e400", "[1e999999999999]", String(repeating: "9", count: 60_000)] {
            #expect(throws: JSONValue.Malformed.self) { try parse(text) }
        }
    }

    @Test(
        "text that is not JSON is rejected",
        arguments: [
            "", " ", "{", "[", "]", "{]", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}",
            "{\"a\":1 \"b\":2}", "01",
            "+1", "1.", ".5", "1e", "1e+", "-", "0x1", "NaN", "Infinity", "-Infinity", "tru", "nulls", "True", "'a'", "\"", "\"a",
            "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\n\"", "\"\u{0}\"", "\u{FEFF}{}", "{} {}", "1 2", "/* */ 1",
            "{\"a\":1}\u{0}",
        ])
    func malformed(_ text: String) {
        #expect(throws: JSONValue.Malformed.self) { try parse(text) }
    }

    @Test("half a surrogate pair is not a character", arguments: ["\\ud83c", "\\udf4e", "\\ud83c\\ud83c", "\\ud83cx", "\\ud83c\\n"])
    func surrogates(_ text: String) {
        #expect(throws: JSONValue.Malformed.self) { try parse("\"\(text)\"") }
    }

    @Test("a repeated member is rejected, even in another spelling")
    func duplicates() {
        for text in [#"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"[{"b":{"a":1,"a":null}}]"#, "{\"\u{e9}\":1,\"e\u{301}\":2}"] {
            #expect(throws: JSONValue.Malformed.self) { try parse(text) }
        }
    }

    @Test("depth is limited, and a deeply nested text costs nothing")
    func depth() throws {
        func nested(_ levels: Int) -> String { String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
        #expect(throws: Never.self) { try parse(nested(32)) }
        #expect(throws: JSONValue.Malformed.self) { try parse(nested(33)) }
        #expect(throws: JSONValue.Malformed.self) { try parse(String(repeating: "[", count: 65_536)) }
        #expect(throws: JSONValue.Malformed.self) { try parse(String(repeating: "{\"a\":", count: 10_000)) }
    }

    @Test(
        "invalid UTF-8 is rejected", arguments: [[0xFF], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFE, 0xFF, 0, 0x31]])
    func encoding(_ bytes: [UInt8]) {
        #expect(throws: JSONValue.Malformed.self) { try JSONValue(json: bytes) }
    }

    @Test("a character that joins with a quote, a comma or a bracket hides none of them", arguments: joining)
    func separators(_ joining: String) throws {
        #expect(
            try parse("{\"a\(joining)\":\"\(joining)\",\"\(joining)b\":[\"c\(joining)\"]}")
                == .object(["a\(joining)": .string(joining), "\(joining)b": .array([.string("c\(joining)")])]))
        for text in [
            "[1\(joining),2]", "[1,\(joining)2]", "[\(joining)]", "{\"a\"\(joining):1}", "{\"a\":\(joining)1}", "[]\(joining)",
            "\(joining)[]",
        ] {
            #expect(throws: JSONValue.Malformed.self) { try parse(text) }
        }
        #expect(throws: JSONValue.Malformed.self) { try parse("\"\\u00\(joining)41\"") }
    }
}
