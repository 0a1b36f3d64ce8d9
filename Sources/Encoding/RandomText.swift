/// Text that nobody can guess.
package enum RandomText {
    /// 128 random bits in 22 characters.
    package static func make() -> String {
        let random = SystemRandomness()
        return withUnsafeBytes(of: (random.next(), random.next())) { Array($0).base64URL }
    }
}
