package import Access
package import Foundation
import Postgres
package import Sealing
import Sessions
import Tenancy

/// The keyring of an installation: the master keys of the settings, checked, and the digest keys of the database.
///
/// A process reads it once, before it serves. The first process of an installation creates the digest keys. After the owner of the
/// schema has deleted them, the next process creates a new one.
package enum InstalledKeys {
    /// The reason why the master keys of the settings are unusable.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String

        static func lacks(_ keys: [KeyID], _ what: String) -> Refusal {
            let names = keys.map(\.description).sorted().joined(separator: ", ")
            return Refusal(
                description:
                    "ESPALIER_MASTER_KEYS lacks a key that is still needed: \(names) (\(what)). Add it after the others, separated "
                    + "by a comma. `espalier master-keys status` lists the data under each key.")
        }
    }

    /// The time in which an upgraded installation still issues values that the previous version can verify, in seconds: 24 hours.
    ///
    /// Servers of both versions run side by side during an upgrade.
    package static let upgradeTime: TimeInterval = 86400

    /// - Throws: `Refusal` if a master key is missing, `SealingError` if a digest key was changed, `DatabaseError`.
    package static func open(_ keyring: Keyring, in database: PlatformDatabase, at now: Date) async throws -> Keyring {
        let known = try await KnownMasterKey.all(in: database).keys
        let missing = known.filter { $0.isNeeded && !keyring.masterKeyIDs.contains($0.id) }
        guard missing.isEmpty else { throw Refusal.lacks(missing.map(\.id), "`espalier master-keys reseal` has not cleared it") }
        // Every version with digest keys notes its master keys. So without a note, rows are from an older version,
        // unless their digests are bound.
        let opened = try await digestKeys(keyring, isFirstStart: known.isEmpty, in: database, at: now)
        _ = try await database.run(KnownMasterKey.note(opened))
        return opened
    }

    private static func digestKeys(
        _ keyring: Keyring, isFirstStart: Bool, in database: PlatformDatabase, at now: Date
    ) async throws -> Keyring {
        if let found = try await read(keyring, in: database, at: now) { return found }
        let used = try await database.run(
            """
            SELECT (\(part: APIKey.anyExists) OR \(part: ApplicationSecret.anyExists) OR \(part: Session.anyExists))
                AND NOT \(part: APIKey.anyBoundExists) AND NOT \(part: ApplicationSecret.anyBoundExists) AS is_upgrade
            """)
        let isUpgrade = try isFirstStart && used.first { try $0.get("is_upgrade", as: Bool.self) } ?? false
        let new =
            isUpgrade
            ? [DigestKey.generate(start: now.addingTimeInterval(upgradeTime))] + keyring.digestKeysOfMasterKeys : [.generate(start: now)]
        let ring = try keyring.with(new, at: now)
        try await database.transaction { db in
            let added = try await db.run(
                // Another process may be binding many rows.
                "SELECT set_config('lock_timeout', '60s', true)",
                """
                SELECT add_digest_keys(\(new.map(\.id.bytes)), \(new.map { keyring.seal($0.plaintext, in: context($0.id)).bytes }), \(now))
                    AS is_mine
                """, upTo: .seconds(60))[1]
            guard try added.first?.get("is_mine", as: Bool.self) == true else { return }
            // Everything is bound in the transaction that stores the keys, because a row that is not bound in time
            // authenticates nobody.
            try await UnboundDigests.bind(with: ring, in: db)
        }
        guard let found = try await read(keyring, in: database, at: now) else { throw Keyring.Refusal.noDigestKey }
        return found
    }

    /// Nil if there are no digest keys.
    private static func read(_ keyring: Keyring, in database: PlatformDatabase, at now: Date) async throws -> Keyring? {
        let rows = try await database.run("SELECT id, sealed_key FROM digest_key WHERE tenant_id = \(UUID.platform) ORDER BY id")
        guard !rows.isEmpty else { return nil }
        let keys = try rows.map { row in
            guard let id = KeyID(try row.get("id")) else { throw SealingError.malformed }
            let sealed = Sealed(bytes: try row.get("sealed_key"))
            do throws(SealingError) {
                return try DigestKey(try keyring.open(sealed, in: context(id)), id: id)
            } catch .unknownKey {
                let master = Sealed.keyID(ofHead: Array(sealed.bytes.prefix(Sealed.headByteCount)))
                throw Refusal.lacks(master.map { [$0] } ?? [], "the digest keys are sealed under it")
            }
        }
        return try keyring.with(keys, at: now)
    }

    package static func context(_ id: KeyID) -> SealingContext {
        SealingContext(tenant: .platform, table: "digest_key", column: "sealed_key", row: id.description)
    }
}
