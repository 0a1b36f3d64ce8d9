/// A QR code in byte mode with the error correction level M, which repairs about 15 % of the modules (ISO/IEC 18004:2015).
///
/// The server draws it itself, because a page loads nothing from another host, and a foreign service would learn the content.
package struct QRCode: Sendable, Equatable {
    /// The longest content in bytes, that of version 10. A larger symbol is hard to read for the camera of a phone.
    package static let mostBytes = Version.all[Version.all.count - 1].byteCapacity

    /// The number of modules per side, from 21 to 57, without the quiet zone.
    package let size: Int
    /// The modules by rows, from the top left.
    private let modules: [Bool]

    /// Encodes bytes in the smallest version that has room for them.
    ///
    /// Use ASCII. The standard says ISO 8859-1 for other bytes, and most readers expect UTF-8.
    /// - Returns: Nil for more than `mostBytes` bytes.
    package init?(_ content: [UInt8]) {
        guard let version = Version.smallest(for: content.count) else { return nil }
        let symbols = Mask.allCases.map { Symbol(content, version, mask: $0) }
        // The standard demands the mask with the fewest patterns that confuse a reader (section 7.8.3).
        guard let best = symbols.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self.init(best)
    }

    init(_ symbol: Symbol) {
        (size, modules) = (symbol.size, symbol.modules)
    }

    /// Whether the module is dark.
    package func isDark(x: Int, y: Int) -> Bool { modules[y * size + x] }
}
