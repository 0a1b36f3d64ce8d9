import Access
import Accounts
import Delivery
import Foundation
import Mail
import People
import PeopleSSO
import Postgres
import Sealing
import Signing
import Sinks
import Tenancy
import Users

/// All sealed values of the database, one column after the other, in short statements of 1000 rows.
struct SealedData {
    static let columns = [
        SealedColumn.ofServer, SealedColumn.ofAccess, SealedColumn.ofDelivery, SealedColumn.ofTenancy, SealedColumn.ofSinks,
        SealedColumn.ofUsers, SealedColumn.ofSigning, SealedColumn.ofAccounts, SealedColumn.ofMail,
        SealedColumn.ofPeople, SealedColumn.ofPeopleSSO,
    ].flatMap { $0 }

    private static let batch = 1000
    /// The maximum number of passes per column. A pass repeats when a running server held or changed rows.
    private static let passes = 20

    let database: PlatformDatabase

    /// A row of a page. The walk skips rows without a sealed value.
    private struct Value {
        let key: SealedColumn.Key
        /// Nil for a value without a key ID.
        let master: KeyID?
        let sealed: [UInt8]?

        init?(_ row: Row) throws {
            key = try row.get("key")
            guard let head = try row.get("head", as: [UInt8]?.self), !head.isEmpty else { return nil }
            master = Sealed.keyID(ofHead: head)
            sealed = try row.get("sealed")
        }
    }

    /// The number of sealed values of each key. The values themselves are not read.
    func count(_ column: SealedColumn) async throws -> [KeyID?: Int] {
        var counts: [KeyID?: Int] = [:]
        try await walk(column, newest: nil) { values in
            for value in values { counts[value.master, default: 0] += 1 }
        }
        return counts
    }

    /// The keys with sealed values in any column.
    func keys() async throws -> Set<KeyID> {
        var keys: Set<KeyID> = []
        for column in Self.columns { keys.formUnion(try await count(column).keys.compactMap(\.self)) }
        return keys
    }

    struct Resealed {
        var rows = 0
        var moved = 0
        /// Rows that a running server held in every pass.
        var held = 0
        /// Values that do not open, by their key ID.
        var unreadable: [KeyID?: Int] = [:]
    }

    /// Seals all values of the column under the newest key. It repeats until no other value is left. A row that a server changes or
    /// holds at that moment is left to the next pass. You may stop and restart it at any time.
    /// - Parameter progress: Called after each batch.
    func reseal(_ column: SealedColumn, with keyring: Keyring, progress: (Resealed) -> Void) async throws -> Resealed {
        var result = Resealed()
        for pass in 1...Self.passes {
            (result.rows, result.held, result.unreadable) = (0, 0, [:])
            try await walk(column, newest: Sealed.head(of: keyring.masterKeyIDs[0])) { values, rows in
                var (keys, old, new): ([SealedColumn.Key], [[UInt8]], [[UInt8]]) = ([], [], [])
                for value in values {
                    guard let bytes = value.sealed else { continue }
                    do {
                        guard let sealed = try keyring.resealed(Sealed(bytes: bytes), in: try column.context(value.key)) else { continue }
                        keys.append(value.key)
                        old.append(bytes)
                        new.append(sealed.bytes)
                    } catch is SealingError {
                        result.unreadable[value.master, default: 0] += 1
                    }
                }
                if !keys.isEmpty {
                    let parts = column.first.indices.map { part in keys.map { $0[part] } }
                    let moved = try await database.run(column.write(parts, old, new)).affected
                    result.moved += moved
                    result.held += keys.count - moved
                }
                result.rows += rows
                progress(result)
            }
            guard result.held > 0, pass < Self.passes else { break }
            try await Task.sleep(for: .milliseconds(200))
        }
        return result
    }

    private func walk(_ column: SealedColumn, newest: [UInt8]?, _ body: ([Value]) -> Void) async throws {
        try await walk(column, newest: newest) { values, _ in body(values) }
    }

    private func walk(
        _ column: SealedColumn, newest: [UInt8]?, _ body: (_ values: [Value], _ rows: Int) async throws -> Void
    ) async throws {
        var last = column.first
        while true {
            let rows = try await database.run(column.page(last, Self.batch, newest))
            guard rows.count > 0 else { return }
            last = try rows[rows.count - 1].get("key")
            var values: [Value] = []
            for row in rows { if let value = try Value(row) { values.append(value) } }
            try await body(values, rows.count)
            guard rows.count == Self.batch else { return }
        }
    }
}
