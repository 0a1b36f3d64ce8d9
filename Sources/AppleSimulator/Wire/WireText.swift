/// Text from the wire, read by bytes. U+0600 before a separator makes one `Character` that is not a separator. For `==`, a Kelvin
/// sign equals K.
extension StringProtocol {
    /// The words between single spaces.
    var words: [Substring] {
        Substring(self).utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
    }

    /// Whether both texts have the same bytes.
    func isExactly(_ other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }

    /// Whether the text starts with these bytes, where `A` to `Z` count as lowercase.
    func begins(withLowercase prefix: String) -> Bool {
        utf8.lazy.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }.starts(with: prefix.utf8)
    }
}
