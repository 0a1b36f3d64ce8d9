/// CBOR as a test writes it, made without the server's reader. It keeps the given order of keys, so that a test can also write invalid
/// maps.
package indirect enum CBOR: Sendable {
    case int(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([(CBOR, CBOR)])
    case bool(Bool)
    case null
    /// Bytes that are written unchanged.
    case raw([UInt8])

    package var encoded: [UInt8] {
        switch self {
        case .int(let number): number < 0 ? Self.head(1, -1 - number) : Self.head(0, number)
        case .bytes(let bytes): Self.head(2, bytes.count) + bytes
        case .text(let text): Self.head(3, text.utf8.count) + text.utf8
        case .array(let elements): Self.head(4, elements.count) + elements.flatMap(\.encoded)
        case .map(let members): Self.head(5, members.count) + members.flatMap { $0.0.encoded + $0.1.encoded }
        case .bool(let flag): [flag ? 0xF5 : 0xF4]
        case .null: [0xF6]
        case .raw(let bytes): bytes
        }
    }

    /// The first bytes of an item, in the shortest form (RFC 8949, section 3).
    private static func head(_ type: UInt8, _ argument: Int) -> [UInt8] {
        let width =
            switch argument {
            case 0..<24: 0
            case 24..<0x100: 1
            case 0x100..<0x1_0000: 2
            case 0x1_0000..<0x1_0000_0000: 4
            default: 8
            }
        guard width > 0 else { return [type << 5 | UInt8(argument)] }
        let information: UInt8 = [1: 24, 2: 25, 4: 26, 8: 27][width]!
        return [type << 5 | information] + (0..<width).reversed().map { UInt8(truncatingIfNeeded: argument >> (8 * $0)) }
    }
}
