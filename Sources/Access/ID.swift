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

extension ID {
    /// The last 64 of its 128 bits.
    package var lastBits: UInt64 { uuid.halves.1 }
}

extension ID: LosslessStringConvertible, Codable {
    package var description: String {
        let prefix = Entity.idPrefix
        return String(unsafeUninitializedCapacity: IDText.length(prefix)) { IDText.write(uuid, prefix, to: $0) }
    }

    /// Nil for every text except the one that `description` returns.
    package init?(_ text: String) {
        guard let uuid = IDText.uuid(in: text, Entity.idPrefix) else { return nil }
        self.init(uuid)
    }

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

extension JSONText {
    /// Writes a member of the innermost object. A nil value is left out.
    package mutating func member<Entity>(_ name: StaticString, _ id: ID<Entity>?) {
        if let id { member(name, id.uuid, Entity.idPrefix) }
    }

    fileprivate mutating func member(_ name: StaticString, _ uuid: UUID, _ prefix: String) {
        member(name, length: IDText.length(prefix)) { IDText.write(uuid, prefix, to: $0) }
    }
}

extension UUID {
    /// The ID of the platform, for rows that belong to no tenant.
    package static let platform = UUID(high: 0, low: 0)

    init(high: UInt64, low: UInt64) {
        var (high, low) = (high.bigEndian, low.bigEndian)
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { target in
            withUnsafeBytes(of: &high) { target.copyMemory(from: $0) }
            withUnsafeBytes(of: &low) { UnsafeMutableRawBufferPointer(rebasing: target[8...]).copyMemory(from: $0) }
        }
        self.init(uuid: bytes)
    }

    var halves: (UInt64, UInt64) {
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
