package import Foundation
package import Postgres
package import Sealing

/// A column of sealed values, for a walk over all of them in the order of the primary key.
///
/// Each target lists its own columns. A test fails if a sealed column is in no list.
package struct SealedColumn: Sendable {
    package let table: String
    package let column: String

    /// A primary key as text, so that the keys of all tables have one type.
    package typealias Key = [String]

    /// A key before every key in the table.
    package let first: Key
    /// Reads rows after a key, in the order of the key. `key` is the primary key as `text[]`, and `head` names the master key. `sealed` is
    /// the whole value. It is null if the value's head equals the given one, or if no head is given.
    package let page: @Sendable (_ after: Key, _ limit: Int, _ newest: [UInt8]?) -> SQL
    /// Replaces values that have not changed since the read. It skips a locked row. So the walk waits for no transaction, and cannot
    /// deadlock. `keys` has one array for each part of the key.
    package let write: @Sendable (_ keys: [[String]], _ old: [[UInt8]], _ new: [[UInt8]]) -> SQL
    package let context: @Sendable (Key) throws -> SealingContext

    /// - Parameter first: one value for each part of the primary key.
    package init(
        table: String, column: String, first: Key, page: @escaping @Sendable (Key, Int, [UInt8]?) -> SQL,
        write: @escaping @Sendable ([[String]], [[UInt8]], [[UInt8]]) -> SQL, context: @escaping @Sendable (Key) throws -> SealingContext
    ) {
        (self.table, self.column, self.first) = (table, column, first)
        (self.page, self.write, self.context) = (page, write, context)
    }

    /// A table whose primary key is the owner and an ID.
    package init(
        _ table: StaticString, _ column: StaticString, context: @escaping @Sendable (_ owner: UUID, _ id: UUID) -> SealingContext
    ) {
        self.init(
            table: "\(table)", column: "\(column)", first: [UUID.platform.uuidString, UUID.platform.uuidString],
            page: { after, limit, newest in
                """
                SELECT ARRAY[tenant_id::text, id::text] AS key, substring(\(literally: column) FROM 1 FOR 5) AS head,
                    CASE WHEN substring(\(literally: column) FROM 1 FOR 5) <> \(newest) THEN \(literally: column) END AS sealed
                FROM \(literally: table) WHERE (tenant_id, id) > (\(after[0])::uuid, \(after[1])::uuid)
                ORDER BY tenant_id, id LIMIT \(limit)
                """
            },
            write: { keys, old, new in
                """
                WITH held AS (
                    SELECT stored.tenant_id, stored.id, change.new
                    FROM unnest(\(keys[0])::uuid[], \(keys[1])::uuid[], \(old), \(new)) AS change (tenant_id, id, old, new)
                    JOIN \(literally: table) stored ON stored.tenant_id = change.tenant_id AND stored.id = change.id
                    WHERE stored.\(literally: column) = change.old FOR NO KEY UPDATE OF stored SKIP LOCKED)
                UPDATE \(literally: table) stored SET \(literally: column) = held.new FROM held
                WHERE stored.tenant_id = held.tenant_id AND stored.id = held.id
                """
            },
            context: { key in
                guard let owner = UUID(uuidString: key[0]), let id = UUID(uuidString: key[1]) else { throw SealingError.malformed }
                return context(owner, id)
            })
    }
}

extension SealedColumn {
    /// The sealed columns of this target's tables.
    package static let ofAccess: [SealedColumn] = [idempotencyKey]

    private static let idempotencyKey = SealedColumn(
        table: "idempotency_key", column: "sealed_answer", first: [UUID.platform.uuidString, UUID.platform.uuidString, "\\x"],
        page: { after, limit, newest in
            """
            SELECT ARRAY[tenant_id::text, api_key_id::text, digest::text] AS key, substring(sealed_answer FROM 1 FOR 5) AS head,
                CASE WHEN substring(sealed_answer FROM 1 FOR 5) <> \(newest) THEN sealed_answer END AS sealed
            FROM idempotency_key
            WHERE (tenant_id, api_key_id, digest) > (\(after[0])::uuid, \(after[1])::uuid, \(after[2])::bytea)
            ORDER BY tenant_id, api_key_id, digest LIMIT \(limit)
            """
        },
        write: { keys, old, new in
            """
            WITH held AS (
                SELECT stored.tenant_id, stored.api_key_id, stored.digest, change.new
                FROM unnest(\(keys[0])::uuid[], \(keys[1])::uuid[], \(keys[2])::bytea[], \(old), \(new))
                    AS change (tenant_id, api_key_id, digest, old, new)
                JOIN idempotency_key stored ON stored.tenant_id = change.tenant_id AND stored.api_key_id = change.api_key_id
                    AND stored.digest = change.digest
                WHERE stored.sealed_answer = change.old FOR NO KEY UPDATE OF stored SKIP LOCKED)
            UPDATE idempotency_key stored SET sealed_answer = held.new FROM held
            WHERE stored.tenant_id = held.tenant_id AND stored.api_key_id = held.api_key_id AND stored.digest = held.digest
            """
        },
        context: { key in
            guard let owner = UUID(uuidString: key[0]), let id = UUID(uuidString: key[1]), let digest = [UInt8](bytea: key[2])
            else { throw SealingError.malformed }
            return IdempotentRequest.context(owner: owner, key: ID(id), digest: digest)
        })
}

extension [UInt8] {
    /// Parses PostgreSQL's text form of a `bytea`: `\x` and hexadecimal digits.
    package init?(bytea text: String) {
        let digits = Array(text.utf8.dropFirst(2))
        guard text.utf8.starts(with: "\\x".utf8), digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) else { return nil }
            bytes.append(byte)
        }
        self = bytes
    }
}
