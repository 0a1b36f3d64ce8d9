import Encoding

/// A data item of CBOR (RFC 8949), limited to the types that WebAuthn uses. It has no tags, no floating point numbers and no `undefined`.
enum CBORValue: Equatable, Sendable {
    case unsigned(UInt64)
    /// The number −1 − n, for this n.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// In canonical order, with distinct keys.
    case map([Member])
    case bool(Bool)
    case null

    struct Member: Equatable, Sendable {
        let key, value: CBORValue
    }

    /// The reason for refusing bytes.
    enum Malformed: Error, Equatable {
        /// The bytes end before the item does. A length that is larger than the rest of the bytes is one case.
        case truncated
        /// Bytes follow the item.
        case trailing
        case tooLong, tooDeep
        /// A length that is not known before the end (RFC 8949, section 3.2).
        case indefinite
        /// A number or length in more bytes than it needs.
        case notShortest
        case repeatedKey
        /// The keys of a map are not in canonical order.
        case notSorted
        /// A text that is not UTF-8.
        case invalidText
        /// A type, or a type of a key, that WebAuthn does not use.
        case unsupported
    }

    /// Reads one item that all of the bytes belong to.
    /// - Parameter longest: The maximum number of bytes.
    init(canonical bytes: [UInt8], upTo longest: Int) throws(Malformed) {
        guard bytes.count <= longest else { throw .tooLong }
        var reader = CBORReader(bytes)
        self = try reader.value()
        guard reader.position == bytes.count else { throw .trailing }
    }
}

// MARK: Parts

extension CBORValue {
    /// An integer, as a label of COSE or one of its registered values.
    static func integer(_ number: Int) -> CBORValue {
        number < 0 ? .negative(UInt64(-1 - number)) : .unsigned(UInt64(number))
    }

    /// The value of a map's member. Nil if this is not a map, or if it does not have this integer as a key.
    func member(_ label: Int) -> CBORValue? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.key == .integer(label) }?.value
    }

    /// The value of a map's member. Nil if this is not a map, or if it does not have this text as a key.
    func member(_ name: String) -> CBORValue? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.key.isText(name) }?.value
    }

    /// Whether this is a text with the same bytes. `==` would also accept an equivalent text.
    func isText(_ text: String) -> Bool {
        guard case .text(let own) = self else { return false }
        return own.isSame(as: text)
    }

    /// The bytes of a byte string of one length. Nil for any other value.
    func bytes(count: Int) -> [UInt8]? {
        guard case .bytes(let bytes) = self, bytes.count == count else { return nil }
        return bytes
    }
}
