package import struct Foundation.UUID

/// The owner of a sealed value, used as AES-GCM's associated data. The value opens in no other context.
///
/// Without it, anyone with write access to the database could copy one tenant's Apple key into another tenant's row
/// and sign with it there.
package struct SealingContext: Sendable, Hashable {
    package let tenant: UUID?
    package let table: String
    package let column: String
    package let row: String

    /// - Parameters:
    /// - tenant: The tenant that owns the row; nil for the platform's row.
    ///   - row: The rest of the row's primary key, in one stable spelling.
    package init(tenant: UUID?, table: String, column: String, row: String) {
        self.tenant = tenant
        self.table = table
        self.column = column
        self.row = row
    }

    /// All four parts, each preceded by its length or presence. So no two contexts have the same encoding.
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
    /// Appends a byte string after its length in 4 bytes, big-endian. So joined strings stay unambiguous.
    mutating func append(lengthPrefixed part: some Collection<UInt8>) {
        Swift.withUnsafeBytes(of: UInt32(part.count).bigEndian) { append(contentsOf: $0) }
        append(contentsOf: part)
    }
}
