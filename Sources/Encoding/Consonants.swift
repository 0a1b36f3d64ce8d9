/// The letters of codes that people type. No letter looks like another one or like a digit, and without vowels they spell no word.
package enum Consonants {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
    /// In bytes, with the spaces and hyphens that a person may type.
    private static let longestTyped = 64

    /// Random letters, each with 20 possible values (4.3 bits).
    package static func random(_ count: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<count).map { _ in alphabet.randomElement(using: &random)! }
    }

    /// Reads typed text. Case, spaces and hyphens do not count. Nil if any other character is in it, or if it does not have `count` letters.
    package static func read(_ typed: String, count: Int) -> [UInt8]? {
        guard typed.utf8.count <= longestTyped else { return nil }
        var letters: [UInt8] = []
        for byte in typed.utf8 where byte != UInt8(ascii: " ") && byte != UInt8(ascii: "-") {
            let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & ~0x20 : byte
            guard alphabet.contains(upper) else { return nil }
            letters.append(upper)
        }
        return letters.count == count ? letters : nil
    }
}
