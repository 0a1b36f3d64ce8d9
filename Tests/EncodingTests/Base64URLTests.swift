import Encoding
import Foundation
import Testing

@Suite("base64url")
struct Base64URLTests {
    @Test("encoding agrees with Foundation's at every length", arguments: 0..<70)
    func agreesWithFoundation(count: Int) {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let expected = Data(bytes).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        #expect(bytes.base64URL == expected)
        #expect([UInt8](base64URL: bytes.base64URL) == bytes)
        #expect([UInt8](base64URL: ".\(expected)".dropFirst()) == bytes)
        #expect([UInt8](base64URL: Array(".\(expected)".utf8).dropFirst()) == bytes)
    }

    @Test("bytes are appended in base64url", arguments: 0..<10)
    func appends(count: Int) {
        let bytes = (0..<count).map { UInt8($0 * 25) }
        for start in [[], Array("a.".utf8)] {
            var text: [UInt8] = start
            text.append(base64URL: bytes)
            #expect(text == start + Array(bytes.base64URL.utf8))
            #expect(text.count == start.count + [UInt8].base64URLCount(of: count))
        }
    }

    @Test("every byte value survives")
    func everyByte() {
        let bytes = [UInt8](0...255)
        #expect([UInt8](base64URL: bytes.base64URL) == bytes)
    }

    @Test(
        "a spelling that the encoder does not produce is rejected",
        arguments: [
            "AA==", "AAA=", "A", "AAAAA", "AA+A", "AA/A", "AA A", "AA\nA", " AAAA", "AAAÄ", "AAA\u{0}", "AB", "AAB", "QUJD.QUJD",
        ])
    func refusesOtherSpellings(text: String) {
        #expect([UInt8](base64URL: text) == nil)
        #expect([UInt8](base64URL: text[...]) == nil)
        #expect([UInt8](base64URL: Array(text.utf8)[...]) == nil)
    }

    @Test("a character that joins with its neighbor is not ignored", arguments: joining)
    func joined(_ joining: String) {
        for text in ["\(joining)AAAA", "AA\(joining)AA", "AAAA\(joining)", "-\(joining)_-", joining] {
            #expect([UInt8](base64URL: text) == nil)
        }
    }
}
