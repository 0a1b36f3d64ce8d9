@testable import Passkeys
import TestSupport
import Testing

/// The canonical form of CTAP2, and everything that is not it. The examples are from RFC 8949, appendix A.
@Suite("CBOR reader")
struct CBORReaderTests {
    private static func read(_ hex: String) throws -> CBORValue {
        try CBORValue(canonical: bytes(hex), upTo: 1 << 20)
    }

    private static func problem(_ bytes: [UInt8], upTo longest: Int = 1 << 20) -> CBORValue.Malformed? {
        do { _ = try CBORValue(canonical: bytes, upTo: longest) } catch { return error }
        return nil
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        var (bytes, digits) = ([UInt8](), Array(hex.utf8).filter { $0 != 0x20 }[...])
        while digits.count > 1 {
            bytes.append(UInt8(String(decoding: [digits.removeFirst(), digits.removeFirst()], as: UTF8.self), radix: 16)!)
        }
        return bytes
    }

    @Test("integers of all lengths are read")
    func integers() throws {
        for (hex, number) in [
            ("00", 0), ("01", 1), ("17", 23), ("1818", 24), ("18ff", 255), ("190100", 256), ("19ffff", 65_535), ("1a00010000", 65_536),
            ("1affffffff", 4_294_967_295), ("1b0000000100000000", 4_294_967_296), ("1b000000e8d4a51000", 1_000_000_000_000), ("20", -1),
            ("29", -10), ("37", -24), ("3818", -25), ("3903e7", -1000), ("390100", -257),
        ] { #expect(try Self.read(hex) == .integer(number), "\(hex)") }
        #expect(try Self.read("1bffffffffffffffff") == .unsigned(.max))
        #expect(try Self.read("3bffffffffffffffff") == .negative(.max))
    }

    @Test("texts, bytes, lists, maps, booleans and null are read")
    func kinds() throws {
        #expect(try Self.read("40") == .bytes([]))
        #expect(try Self.read("4401020304") == .bytes([1, 2, 3, 4]))
        #expect(try Self.read("6449455446") == .text("IETF"))
        #expect(try Self.read("63e6b0b4") == .text("水"))
        #expect(try Self.read("80") == .array([]))
        #expect(
            try Self.read("8301820203820405")
                == .array([.integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)])]))
        #expect(try Self.read("a0") == .map([]))
        #expect(
            try Self.read("a26161016162820203")
                == .map([.init(key: .text("a"), value: .integer(1)), .init(key: .text("b"), value: .array([.integer(2), .integer(3)]))]))
        #expect(try Self.read("f4") == .bool(false))
        #expect(try Self.read("f5") == .bool(true))
        #expect(try Self.read("f6") == .null)
        let long = CBOR.bytes([UInt8](repeating: 7, count: 70_000)).encoded
        #expect(try CBORValue(canonical: long, upTo: long.count) == .bytes([UInt8](repeating: 7, count: 70_000)))
    }

    @Test("members are found by their keys")
    func members() throws {
        let map = try Self.read("a4 01 02 20 03 61 61 04 61 62 f6")
        #expect(map.member(1) == .integer(2) && map.member(-1) == .integer(3) && map.member("a") == .integer(4) && map.member("b") == .null)
        #expect(map.member(2) == nil && map.member("A") == nil && map.member("a\u{301}") == nil && CBORValue.null.member(1) == nil)
        // U+212A KELVIN SIGN is equal to K for `==`.
        let kelvin = CBOR.map([(.text("\u{212A}"), .int(1))]).encoded
        #expect(try CBORValue(canonical: kelvin, upTo: 100).member("K") == nil)
        #expect(CBORValue.bytes([1, 2]).bytes(count: 2) == [1, 2] && CBORValue.bytes([1, 2]).bytes(count: 3) == nil)
    }

    @Test("every beginning of a valid value is truncated")
    func truncated() throws {
        for hex in [
            "1818", "190100", "1a00010000", "1b0000000100000000", "4401020304", "6449455446", "8301820203820405", "a26161016162820203",
        ] {
            let whole = Self.bytes(hex)
            for length in 0..<whole.count {
                #expect(Self.problem(Array(whole[..<length])) == .truncated, "\(hex), \(length) bytes")
            }
            #expect(Self.problem(whole) == nil)
            #expect(Self.problem(whole + [0]) == .trailing)
        }
    }

    /// They would take terabytes if a length was believed.
    @Test(
        "a length beyond the end costs nothing",
        arguments: [
            "5bffffffffffffffff", "5b7fffffffffffffff00", "7bffffffffffffffff61", "9bffffffffffffffff", "9b000000ffffffffff00",
            "9affffffff00",
            "bbffffffffffffffff", "bb7fffffffffffffff0000", "baffffffff0000", "bb8000000000000000", "5affffffff", "5803 0102", "a2010203",
        ])
    func hugeLengths(_ hex: String) {
        #expect(Self.problem(Self.bytes(hex)) == (hex == "5803 0102" ? .notShortest : .truncated))
    }

    @Test("a number or length in a longer form is refused")
    func longForms() {
        for type: UInt8 in 0...5 {
            for (information, argument) in [
                (24, [0]), (24, [23]), (25, [0, 0]), (25, [0, 255]), (26, [0, 0, 255, 255]), (27, [0, 0, 0, 0, 255, 255, 255, 255]),
                (27, [0, 0, 0, 0, 0, 0, 0, 1]),
            ] as [(UInt8, [UInt8])] {
                #expect(Self.problem([type << 5 | information] + argument) == .notShortest, "type \(type), \(information)")
            }
        }
    }

    @Test(
        "an indefinite length is refused, at the top and inside",
        arguments: [
            "5f", "5f42010243030405ff", "7f657374726561646d696e67ff", "9fff", "9f0102ff", "bfff", "bf6161019fff", "ff", "819fff",
            "a1019fff",
        ])
    func indefinite(_ hex: String) {
        #expect(Self.problem(Self.bytes(hex)) == .indefinite)
    }

    @Test("a repeated key is refused, wherever it is")
    func repeatedKeys() {
        for members in [
            [(.int(1), .int(1)), (.int(1), .int(1))], [(.int(1), .int(1)), (.int(1), .int(2))], [(.text("a"), .null), (.text("a"), .null)],
            [(.int(-1), .int(1)), (.int(-1), .int(2)), (.text("a"), .null)],
        ] as [[(CBOR, CBOR)]] {
            #expect(Self.problem(CBOR.map(members).encoded) == .repeatedKey)
            #expect(Self.problem(CBOR.array([.map([(.int(9), .map(members))])]).encoded) == .repeatedKey)
        }
        // Another key between them makes the order wrong.
        #expect(Self.problem(CBOR.map([(.int(1), .null), (.int(2), .null), (.int(1), .null)]).encoded) == .notSorted)
    }

    /// CTAP 2.1, section 8: by the type, then the length, then the bytes.
    @Test("keys are in canonical order")
    func order() throws {
        let sorted: [CBOR] = [
            .int(0), .int(10), .int(23), .int(24), .int(100), .int(256), .int(-1), .int(-24), .int(-25), .text(""), .text("b"), .text("z"),
            .text("aa"), .text("ab"), .text("aaa"),
        ]
        #expect(Self.problem(CBOR.map(sorted.map { ($0, .null) }).encoded) == nil)
        for index in sorted.indices.dropLast() {
            #expect(Self.problem(CBOR.map([(sorted[index + 1], .null), (sorted[index], .null)]).encoded) == .notSorted, "\(index)")
        }
    }

    @Test("maps and arrays are nested in one another at most 5 times")
    func depth() {
        func nested(_ levels: Int, _ wrap: (CBOR) -> CBOR) -> [UInt8] {
            (0..<levels).reduce(CBOR.int(0)) { value, _ in wrap(value) }.encoded
        }
        for wrap in [{ .array([$0]) }, { .map([(.int(1), $0)]) }] as [(CBOR) -> CBOR] {
            #expect(Self.problem(nested(5, wrap)) == nil)
            #expect(Self.problem(nested(6, wrap)) == .tooDeep)
        }
        #expect(Self.problem([UInt8](repeating: 0x81, count: 1 << 20)) == .tooDeep)
        // A key is not a way around the limit.
        #expect(Self.problem([UInt8](repeating: 0xA1, count: 1 << 20)) == .tooDeep)
        #expect(Self.problem([0x80]) == nil && Self.problem([0x81, 0x80]) == nil)
    }

    @Test("the number of bytes is limited")
    func size() {
        #expect(Self.problem([0x42, 1, 2], upTo: 3) == nil)
        #expect(Self.problem([0x42, 1, 2], upTo: 2) == .tooLong)
    }

    @Test(
        "types that WebAuthn does not use are refused",
        arguments: [
            "c074323031332d30332d32315432303a30343a30305a", "c11a514b67b0", "d82076687474703a2f2f7777772e6578616d706c652e636f6d", "f7",
            "e0",
            "f0", "f8ff", "f818", "f90000", "fa47c35000", "fb3ff199999999999a", "1c", "1d", "3e", "5c", "7d", "9e", "bc", "fc", "fe",
        ])
    func unsupported(_ hex: String) {
        #expect(Self.problem(Self.bytes(hex)) == .unsupported)
    }

    @Test("only numbers and texts are keys", arguments: ["a14101f6", "a180f6", "a1a0f6", "a1f4f6", "a1f6f6"])
    func keys(_ hex: String) {
        #expect(Self.problem(Self.bytes(hex)) == .unsupported)
    }

    @Test("a text is UTF-8", arguments: ["61ff", "62c328", "63eda080", "64f4908080", "61c3", "62c080"])
    func texts(_ hex: String) {
        #expect(Self.problem(Self.bytes(hex)) == .invalidText)
    }

    @Test("a character that joins with its neighbor hides none", arguments: ["\u{600}", "\u{301}", "\u{200D}"])
    func joining(_ joining: String) throws {
        let value = CBOR.map([(.text("a"), .text(joining)), (.text("a\(joining)"), .text("\(joining)a"))]).encoded
        let read = try CBORValue(canonical: value, upTo: 100)
        #expect(read.member("a")?.isText(joining) == true && read.member("a\(joining)")?.isText("\(joining)a") == true)
        // "é" in one scalar and in two are different keys.
        let twice = CBOR.map([(.text("\u{e9}"), .int(1)), (.text("e\u{301}"), .int(2))]).encoded
        let accents = try CBORValue(canonical: twice, upTo: 100)
        #expect(accents.member("\u{e9}") == .integer(1) && accents.member("e\u{301}") == .integer(2))
    }

    @Test("a reader continues after a value")
    func positions() throws {
        var reader = CBORReader(Self.bytes("ffff a10102 4101 00"), at: 2)
        #expect(try reader.value() == .map([.init(key: .integer(1), value: .integer(2))]))
        #expect(reader.position == 5)
        #expect(try reader.value() == .bytes([1]))
        #expect(reader.position == 7)
    }
}
