/// Reads CBOR in the canonical form of CTAP2 (Client to Authenticator Protocol 2.1, section 8), and rejects every other form.
///
/// WebAuthn requires this form of all encoders, and advises decoders to reject other forms (Level 3, section 2). Each value has exactly one
/// form, so two readers cannot read the same bytes in two ways.
///
/// The cost is at most proportional to the number of bytes. A length is compared with the rest of the bytes before anything is reserved,
/// and the order of the keys also proves that they are distinct.
struct CBORReader {
    /// The maximum number of maps and arrays in one another. CTAP2 permits four. The attestation object contains the maps of a compound
    /// statement in an array (section 8.9), which needs five.
    private static let deepest = 5

    private let bytes: [UInt8]
    /// The index of the first byte that is not read yet.
    private(set) var position: Int

    /// - Parameter position: The index at which the first item starts.
    init(_ bytes: [UInt8], at position: Int = 0) {
        (self.bytes, self.position) = (bytes, position)
    }

    /// Reads the next item.
    mutating func value() throws(CBORValue.Malformed) -> CBORValue {
        try value(depth: 0)
    }

    private var rest: Int { bytes.count - position }

    private mutating func value(depth: Int) throws(CBORValue.Malformed) -> CBORValue {
        let (type, argument) = try head()
        switch type {
        case .unsigned: return .unsigned(argument)
        case .negative: return .negative(argument)
        case .bytes: return .bytes(Array(try take(argument)))
        case .text:
            guard let text = String(validating: try take(argument), as: UTF8.self) else { throw .invalidText }
            return .text(text)
        case .array:
            guard depth < Self.deepest else { throw .tooDeep }
            // Each element has at least one byte.
            guard argument <= UInt64(rest) else { throw .truncated }
            var elements: [CBORValue] = []
            for _ in 0..<argument { elements.append(try value(depth: depth + 1)) }
            return .array(elements)
        case .map:
            guard depth < Self.deepest else { throw .tooDeep }
            guard argument <= UInt64(rest / 2) else { throw .truncated }
            return .map(try members(argument, depth: depth + 1))
        case .simple:
            switch argument {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw .unsupported
            }
        }
    }

    private mutating func members(_ number: UInt64, depth: Int) throws(CBORValue.Malformed) -> [CBORValue.Member] {
        var members: [CBORValue.Member] = []
        var previous: ArraySlice<UInt8> = []
        for _ in 0..<number {
            let start = position
            let key = try value(depth: depth)
            switch key {
            case .unsigned, .negative, .text: break
            default: throw .unsupported
            }
            let encoded = bytes[start..<position]
            guard previous.isEmpty || Self.precedes(previous, encoded) else {
                throw previous.elementsEqual(encoded) ? .repeatedKey : .notSorted
            }
            previous = encoded
            members.append(.init(key: key, value: try value(depth: depth)))
        }
        return members
    }

    /// Whether an encoded key is before another one: first the lower type, then the shorter key, then the lower bytes.
    private static func precedes(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        let (type, otherType) = (one[one.startIndex] >> 5, other[other.startIndex] >> 5)
        if type != otherType { return type < otherType }
        return one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
    }

    // MARK: Heads

    private enum MajorType: UInt8 {
        case unsigned = 0, negative, bytes, text, array, map
        /// 6 is a tag.
        case simple = 7
    }

    /// Reads the type of an item, and its number or length (RFC 8949, section 3).
    private mutating func head() throws(CBORValue.Malformed) -> (MajorType, UInt64) {
        let first = try take(1).first!
        guard let type = MajorType(rawValue: first >> 5) else { throw .unsupported }
        let information = first & 0x1F
        switch information {
        case 0..<24: return (type, UInt64(information))
        case 24...27:
            // A floating point number, or a simple value without a meaning.
            guard type != .simple else { throw .unsupported }
            let width = 1 << Int(information - 24)
            let argument = try take(UInt64(width)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            // The smallest number without a shorter form.
            let smallest: UInt64 = width == 1 ? 24 : 1 << (4 * width)
            guard argument >= smallest else { throw .notShortest }
            return (type, argument)
        case 31: throw .indefinite
        default: throw .unsupported
        }
    }

    private mutating func take(_ count: UInt64) throws(CBORValue.Malformed) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest) else { throw .truncated }
        defer { position += Int(count) }
        return bytes[position..<(position + Int(count))]
    }
}
