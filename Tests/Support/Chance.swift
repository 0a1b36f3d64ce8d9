/// Random numbers with a seed (SplitMix64). A failure names its seed, so it can be repeated.
package struct Chance: RandomNumberGenerator {
    private var state: UInt64

    package init(_ seed: Int) {
        state = UInt64(seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    package mutating func often(_ value: Int, or range: ClosedRange<Int>) -> Int { Bool.random(using: &self) ? value : number(range) }
}
