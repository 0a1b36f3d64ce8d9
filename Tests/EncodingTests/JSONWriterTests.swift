import Encoding
import Foundation
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    private func write(_ value: some Encodable) throws -> String {
        String(decoding: try JSONWriter.encode(value), as: UTF8.self)
    }

    private struct Thing: Encodable {
        struct Part: Encodable {
            let zulu, alpha: Int
        }
        enum Kind: String, Encodable { case own }
        let id = "x"
        var object = Kind.own
        var name: String?
        var parts = [Part(zulu: 1, alpha: 2)]
        var first = Part(zulu: 3, alpha: 4)
        let created_at = Date(timeIntervalSince1970: 0)
        let updated_at = Date(timeIntervalSince1970: 1)
    }

    @Test("members have the order of the properties")
    func order() throws {
        let text =
            #""parts":[{"zulu":1,"alpha":2}],"first":{"zulu":3,"alpha":4},"created_at":"1970-01-01T00:00:00Z","#
            + #""updated_at":"1970-01-01T00:00:01Z"}"#
        #expect(try write(Thing()) == #"{"id":"x","object":"own","# + text)
        #expect(try write(Thing(name: "n")) == #"{"id":"x","object":"own","name":"n","# + text)
    }

    @Test("members of every type equal those of Foundation, at every length of the text before")
    func members() throws {
        let numbers = [0, 1, 9, 10, 99, 100, -1, -10, .max, .min, 1_000_000_007]
        let dates = [Date(timeIntervalSince1970: 0), .distantPast, .distantFuture, Date(timeIntervalSince1970: -62_135_596_801)]
        // From the writer's first room to beyond its second.
        for length in Array(0..<70) + Array(950..<1100) + [2047, 2048, 5000] {
            let text = JSONWriter.object { json in
                json.member("before", String(repeating: "x", count: length))
                for number in numbers { json.member("number", number) }
                for date in dates { json.member("date", date) }
                json.member("none", nil as Int?)
                json.member("last", "")
            }
            let expected =
                "{\"before\":\"\(String(repeating: "x", count: length))\"," + numbers.map { "\"number\":\($0)," }.joined()
                + dates.map { "\"date\":\"\($0.formatted(.iso8601))\"," }.joined() + "\"last\":\"\"}"
            #expect(String(decoding: text, as: UTF8.self) == expected)
        }
    }

    @Test("a member's name that is not known before is escaped")
    func names() {
        let text = JSONWriter.object { line in
            line.member("time", "now")
            line.member(named: "a\"b\n\u{301}", "\\")
        }
        #expect(String(decoding: text, as: UTF8.self) == #"{"time":"now","a\"b\n"# + "\u{301}" + #"":"\\"}"#)
    }

    /// Encodes a part into its own object, and containers inside containers by hand.
    private struct Composed: Encodable {
        enum Key: CodingKey { case before, object, list, after, nothing }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .before)
            var object = container.nestedContainer(keyedBy: Key.self, forKey: .object)
            try object.encode(2, forKey: .before)
            var list = object.nestedUnkeyedContainer(forKey: .list)
            try list.encode(3)
            var inner = list.nestedContainer(keyedBy: Key.self)
            try inner.encodeNil(forKey: .nothing)
            var innermost = list.nestedUnkeyedContainer()
            try innermost.encodeNil()
            try object.encode(4, forKey: .after)
            try Thing.Part(zulu: 5, alpha: 6).encode(to: encoder)
            try container.encode(7, forKey: .after)
            try 8.encode(to: container.superEncoder(forKey: .nothing))
        }
    }

    @Test("containers close before the next member of their parent")
    func containers() throws {
        #expect(
            try write([Composed()])
                == #"[{"before":1,"object":{"before":2,"list":[3,{"nothing":null},[null]],"after":4},"zulu":5,"alpha":6,"after":7,"nothing":8}]"#
        )
    }

    @Test("empty containers have their brackets, and null is written where it is encoded")
    func empty() throws {
        struct Nothing: Encodable {}
        struct Silent: Encodable { func encode(to encoder: any Encoder) {} }
        struct Optionals: Encodable {
            enum Key: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(nil as String?, forKey: .a)
                try container.encodeIfPresent(nil as String?, forKey: .b)
            }
        }
        #expect(try write(Nothing()) == "{}")
        #expect(try write(["a": Silent()]) == #"{"a":{}}"#)
        #expect(try write([] as [Int]) == "[]")
        #expect(try write([[], [1]] as [[Int]]) == "[[],[1]]")
        #expect(try write([:] as [String: Int]) == "{}")
        #expect(try write(Optionals()) == #"{"a":null}"#)
        #expect(try write(nil as Int?) == "null")
    }

    @Test("a dictionary's members are sorted by name, so that they have one order")
    func dictionaries() throws {
        let names = (0..<100).map { "m\($0)" }
        let written = try write(Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue.object(["b": .null, "a": .bool(true)])) }))
        let expected = names.sorted().map { #""\#($0)":{"a":true,"b":null}"# }.joined(separator: ",")
        #expect(written == "{\(expected)}")
    }

    @Test("numbers are exact")
    func numbers() throws {
        #expect(try write([Int.min, .max, 0, -1]) == "[-9223372036854775808,9223372036854775807,0,-1]")
        #expect(try write(UInt64.max) == "18446744073709551615")
        #expect(try write([Int8.min]) == "[-128]")
        #expect(try write([0.1, 2, -0.5, 1e300, .leastNonzeroMagnitude]) == "[0.1,2,-0.5,1e+300,5e-324]")
        #expect(try write(Float(0.25)) == "0.25")
        #expect(throws: EncodingError.self) { try write(["x": Double.nan]) }
        #expect(throws: EncodingError.self) { try write([Double.infinity]) }
    }

    @Test("special characters are escaped, and every text reads back unchanged")
    func texts() throws {
        #expect(try write("\"\\/\u{8}\t\n\u{c}\r\0\u{1f}") == #""\"\\/\b\t\n\f\r\u0000\u001f""#)
        // Scalars that join with the character before or after them. A writer that works by character misses the quote.
        for scalar in ["\u{600}", "\u{301}", "\u{200D}", "\u{2028}", "\u{D7FF}", "\u{E000}", "\u{10FFFF}", "🍎"] {
            for special in ["\"", "\\", "\n", "\0"] {
                for text in [scalar + special, special + scalar, scalar + special + scalar] {
                    let read = try JSONDecoder().decode([String].self, from: Data(JSONWriter.encode([text])))
                    #expect(read.first.map { Array($0.utf8) } == Array(text.utf8))
                }
            }
        }
    }

    @Test("data and URLs are written as by Foundation")
    func foundation() throws {
        #expect(try write(Data([0, 255, 16])) == #""AP8Q""#)
        #expect(try write(["u": URL(string: "https://example.com/a?b=c")!]) == #"{"u":"https://example.com/a?b=c"}"#)
    }

    // MARK: Values that write themselves

    /// An object as it writes itself, and as the compiler encodes it.
    private struct Written: JSONWritable {
        var text = "", other: String?
        var number = 0, optional: Int?
        var flag: Bool?
        var list: [String] = []
        var time: Date?

        func write(to json: inout JSONText) {
            json.object { json in
                json.member("text", text)
                json.member("other", other)
                json.member("number", number)
                json.member("optional", optional)
                json.member("flag", flag)
                json.member("list", list)
                json.member("time", time)
            }
        }

        struct Encoded: Encodable {
            let text: String, other: String?
            let number: Int, optional: Int?
            let flag: Bool?
            let list: [String]
            let time: Date?
        }

        var encoded: Encoded {
            Encoded(text: text, other: other, number: number, optional: optional, flag: flag, list: list, time: time)
        }
    }

    @Test("an object that writes itself has the same bytes as an encoded one, alone and inside of others")
    func written() throws {
        let values = [
            Written(), Written(text: "a", other: "b", number: .min, optional: .max, flag: true, list: ["c", "", "\""], time: .distantPast),
            Written(text: "{", other: "", number: -1, flag: false, list: ["{"]), Written(other: "{", time: Date(timeIntervalSince1970: 0)),
        ]
        for value in values {
            #expect(try write(value) == write(value.encoded))
            #expect(try write([value, value]) == write([value.encoded, value.encoded]))
            #expect(try write(["a": value]) == write(["a": value.encoded]))
            #expect(try write([[value] as [Written?], [nil]]) == write([[value.encoded] as [Written.Encoded?], [nil]]))
        }
        struct Nothing: JSONWritable { func write(to json: inout JSONText) { json.object { _ in } } }
        #expect(try write([Nothing(), Nothing()]) == "[{},{}]")
    }

    @Test("any text in a member reads back unchanged, and has no byte that ends it")
    func properties() throws {
        let scalars = Array(
            ("\u{600}\u{301}\u{200D}\u{2028}\u{2029}\u{FFFD}\u{10FFFF}\u{D7FF}\u{E000}\u{7F}\u{80}\u{9F}\u{0}\u{1}\u{8}\u{9}\n"
                + "\u{B}\u{C}\r\u{1F} !\"#$&'/09:<>@AZ[\\]`az{|}~éß漢🍎👩‍👩‍👧🇩🇪").unicodeScalars)
        var random = Random(state: 1)
        for length in (0..<40).flatMap({ Array(repeating: $0, count: 10) }) {
            var text = String.UnicodeScalarView()
            for _ in 0..<length { text.append(scalars.randomElement(using: &random)!) }
            // Long runs without an escape, because the test for escapes looks at many bytes at a time.
            let plain = String(repeating: "a", count: Int.random(in: 0..<70, using: &random))
            let value = Written(text: plain + String(text), other: String(text) + plain, number: length, list: [String(text), plain])
            let bytes = try JSONWriter.encode(value)
            #expect(bytes.allSatisfy { $0 >= 0x20 })
            #expect(bytes == (try JSONWriter.encode(value.encoded)))
            let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
            let read = [object["text"] as? String, object["other"] as? String] + (object["list"] as? [String] ?? []).map { $0 }
            #expect(
                read.map { Array(($0 ?? "?").utf8) } == [value.text, value.other!, value.list[0], value.list[1]].map { Array($0.utf8) })
            #expect(object["number"] as? Int == length)
            guard case .object(let strict) = try JSONValue(json: bytes), case .string(let text)? = strict["text"] else {
                Issue.record("\(value) is not an object")
                continue
            }
            #expect(Array(text.utf8) == Array(value.text.utf8))
        }
    }

    @Test("every byte below U+0020, a quote and a backslash are escaped at any position")
    func positions() throws {
        for scalar in (0..<0x80).map({ Unicode.Scalar(UInt8($0)) }) {
            for before in [0, 1, 15, 16, 31, 32, 33, 63, 64, 65] {
                let text = String(repeating: "é", count: before) + String(scalar) + String(repeating: "a", count: 70 - before)
                #expect(try JSONDecoder().decode([String].self, from: Data(JSONWriter.encode([text]))) == [text])
                #expect(try JSONWriter.encode([text]).allSatisfy { $0 >= 0x20 })
            }
        }
    }

    @Test("only JSONWriter encodes such an object")
    func otherEncoder() {
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([Written()]) }
    }

    /// Repeatable random numbers (SplitMix64).
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }
}
