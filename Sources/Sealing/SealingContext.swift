package import struct Foundation.UUID

/// What a sealed value belongs to: AES-GCM's associated data. Opened for anything else, it fails.
///
/// Without it, whoever can write to the database could move one tenant's Apple key into another tenant's row and have
/// it signed with there.
package struct SealingContext: Sendable, Hashable {
    package let tenant: UUID?
    package let table: String
    package let column: String
    package let row: String

    /// - Parameters:
    ///   - tenant: The tenant whose row it is; nil for the platform's own.
    ///   - row: The rest of the row's primary key, in one stable spelling.
    package init(tenant: UUID?, table: String, column: String, row: String) {
        self.tenant = tenant
        self.table = table
        self.column = column
        self.row = row
    }

    /// All four parts, each preceded by its length or presence, so that no two contexts have the same encoding.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32 + table.utf8.count + column.utf8.count + row.utf8.count)
        if let tenant {
            bytes.append(1)
            withUnsafeBytes(of: tenant.uuid) { bytes.append(contentsOf: $0) }
        } else {
            bytes.append(0)
        }
        bytes.append(lengthPrefixed: table.utf8)
        bytes.append(lengthPrefixed: column.utf8)
        bytes.append(lengthPrefixed: row.utf8)
        return bytes
    }
}

extension [UInt8] {
    /// Appends a byte string behind its length in four bytes, big-endian: joined strings stay unambiguous.
    mutating func append(lengthPrefixed part: some Collection<UInt8>) {
        Swift.withUnsafeBytes(of: UInt32(part.count).bigEndian) { append(contentsOf: $0) }
        append(contentsOf: part)
    }
}
