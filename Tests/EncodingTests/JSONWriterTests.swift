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
}
