package import Encoding
package import Foundation
package import Postgres

/// A type whose values have an ID of their own kind.
package protocol Identified {
    /// The prefix of its IDs outside the database, without the underscore.
    static var idPrefix: String { get }
}

/// The ID of one kind of entity: `ID<Tenant>` is not `ID<Session>`.
///
/// In the database, it is a UUIDv7 (RFC 9562), so that rows created one after another are adjacent. Outside the database, it is `tenant_`
/// and 26 characters of Crockford's base32, so that a person sees the kind of entity.
package struct ID<Entity: Identified>: Hashable, Sendable {
    package let uuid: UUID

    package init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// A new ID: 48 bits of milliseconds, then 74 random bits.
    package init(at now: Date) {
        let random = SystemRandomness()
        let milliseconds = UInt64(now.timeIntervalSince1970 * 1000)
        let (a, b) = (random.next() as UInt64, random.next() as UInt64)
        let high = milliseconds << 16 | 0x7000 | a & 0x0FFF
        let low = 0x8000_0000_0000_0000 | b & 0x3FFF_FFFF_FFFF_FFFF
        self.init(UUID(high: high, low: low))
    }
}

/// Crockford's alphabet, without i, l, o and u.
private let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

/// The value of each byte as a digit, or 255.
private let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
}()

extension ID: LosslessStringConvertible, Codable {
    package var description: String {
        let prefix = Entity.idPrefix.utf8
        let length = prefix.count + 1 + Self.digits
        return String(unsafeUninitializedCapacity: length) { text in
            _ = text.initialize(from: prefix)
            text[prefix.count] = UInt8(ascii: "_")
            var (high, low) = uuid.halves
            for position in (prefix.count + 1..<length).reversed() {
                text[position] = alphabet[Int(low & 31)]
                low = low >> 5 | high << 59
                high >>= 5
            }
            return length
        }
    }

    /// Nil for every text except the one that `description` returns.
    package init?(_ text: String) {
        let prefix = Entity.idPrefix.utf8
        let bytes = text.utf8
        guard bytes.count == prefix.count + 1 + Self.digits, bytes.starts(with: prefix) else { return nil }
        var digits = bytes.dropFirst(prefix.count)
        // 130 bits encode 128, so the first digit is at most 7.
        guard digits.removeFirst() == UInt8(ascii: "_"), digits.first! <= UInt8(ascii: "7") else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for digit in digits {
            let value = values[Int(digit)]
            guard value < 32 else { return nil }
            high = high << 5 | low >> 59
            low = low << 5 | UInt64(value)
        }
        self.init(UUID(high: high, low: low))
    }

    private static var digits: Int { 26 }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let id = Self(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not an ID of \(Entity.idPrefix)"))
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension ID: JSONWritable {
    package func write(to json: inout JSONText) { description.write(to: &json) }
}

extension UUID {
    /// The ID of the platform, for rows that belong to no tenant.
    package static let platform = UUID(high: 0, low: 0)

    fileprivate init(high: UInt64, low: UInt64) {
        var (high, low) = (high.bigEndian, low.bigEndian)
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { target in
            withUnsafeBytes(of: &high) { target.copyMemory(from: $0) }
            withUnsafeBytes(of: &low) { UnsafeMutableRawBufferPointer(rebasing: target[8...]).copyMemory(from: $0) }
        }
        self.init(uuid: bytes)
    }

    fileprivate var halves: (UInt64, UInt64) {
        withUnsafeBytes(of: uuid) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}

extension ID: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { UUID.sqlType }

    package func encode(into bytes: inout [UInt8]) {
        uuid.encode(into: &bytes)
    }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        self.init(try UUID(decoding: cell))
    }
}
