/// Creates inputs from inputs, as a fuzzer does. The same seed always creates the same inputs.
struct Mutator {
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(state: seed)
    }

    /// Values that often reveal errors in parsers.
    private static let words: [[UInt8]] =
        [
            "%", "%00", "%zz", "\"", "\\", "\\u0000", "\\ud800", "&", "=", "==", ";", ",", ".", "..", "://", "@", "#", "[", "{\"", "]", "}",
            "-", "+",
            "\0", "\r\n", "\n", " ", "é", "\u{212A}", "\u{301}", "\u{600}", "\u{200D}", "\u{600},", "\u{301};", "\u{200D}=", ",\u{301}",
            "\u{37E}", "１", "\u{202E}", "\u{FEFF}", "9223372036854775808", "-1", "1e400", "null",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0],
        ]

    mutating func mutation(of seeds: [[UInt8]], upTo largest: Int) -> [UInt8] {
        var input = seeds.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let at = Int.random(in: 0...input.count, using: &random)
            let end = Int.random(in: at...input.count, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0 where at < input.count: input[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1 where at < input.count: input[at] = .random(in: .min ... .max, using: &random)
            case 2: input.removeSubrange(at..<end)
            case 3: input.insert(contentsOf: input[at..<end], at: at)
            case 4: input.replaceSubrange(at..<min(at + 1, input.count), with: Self.words.randomElement(using: &random) ?? [])
            case 5: input = Array(input[..<at] + (seeds.randomElement(using: &random) ?? []).suffix(input.count - at))
            default: input.insert(contentsOf: Self.words.randomElement(using: &random) ?? [], at: at)
            }
        }
        return Array(input.prefix(largest))
    }
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
