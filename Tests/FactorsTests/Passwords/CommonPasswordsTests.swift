import Testing

@testable import Factors

@Suite("Common passwords")
struct CommonPasswordsTests {
    private static let words = CommonPasswords.words.description.split { $0 == " " || $0 == "\n" }.map { Array($0.utf8) }

    @Test("the list is sorted by bytes, has no duplicates, and has only what the search expects")
    func list() {
        #expect(Self.words.count > 10_000)
        #expect(zip(Self.words, Self.words.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
        #expect(Self.words.allSatisfy { $0.count >= Password.leastCharacters && $0.allSatisfy { (0x21...0x7E).contains($0) } })
        // The search compares lowercased passwords.
        #expect(!Self.words.joined().contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        // Between two words is exactly one separator, and none is at the ends.
        #expect(CommonPasswords.words.utf8CodeUnitCount == Self.words.reduce(-1) { $0 + $1.count + 1 })
    }

    @Test("each word is found, and no part of one and nothing around it")
    func search() {
        let all = Set(Self.words)
        #expect(Self.words.allSatisfy(CommonPasswords.contains))
        for index in stride(from: 0, to: Self.words.count, by: 37) {
            let word = Self.words[index]
            let others = [Array(word.dropLast()), Array(word.dropFirst()), word + [0x20], word + [0x7F], [0x20] + word]
            for other in others where !all.contains(other) { #expect(!CommonPasswords.contains(other)) }
        }
    }

    @Test("texts before, after and between the words are not found")
    func missing() {
        for text in ["", " ", "\n", "!", "~~~~~~~~~", "password sunshine", "kvqzpmwx", "\u{0}", "\u{E9}"] {
            #expect(!CommonPasswords.contains(Array(text.utf8)), "\(text)")
        }
    }
}
