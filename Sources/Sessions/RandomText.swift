import Encoding

/// Text that nobody can guess.
package enum RandomText {
    /// 128 random bits in 22 characters.
    package static func make() -> String {
        var random = SystemRandomNumberGenerator()
        return withUnsafeBytes(of: (random.next() as UInt64, random.next() as UInt64)) { Array($0).base64URL }
    }
}
