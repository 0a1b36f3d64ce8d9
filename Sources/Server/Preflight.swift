import Access
import Foundation
import Logging
import Postgres
import Sealing

/// What `serve` looks at before it takes a request: whatever would do harm later is refused now.
///
/// It ends with the keyring that the server uses.
struct Preflight {
    private let settings: Settings
    private let migrator: Migrator
    private let logger: Logger

    init(_ settings: Settings, migrator: Migrator, logger: Logger) {
        (self.settings, self.migrator, self.logger) = (settings, migrator, logger)
    }

    /// - Returns: The keyring with the digest keys of the database.
    /// - Throws: `Settings.Refusal`, `InstalledKeys.Refusal`.
    func run(at now: Date) async throws -> Keyring {
        try await withPool(settings.databaseURL) { pool in
            try await requireUsableSchema(pool)
            try await requireHarmlessRole(pool)
            let database = PlatformDatabase(pool)
            try await requireMasterKeys(database)
            let keyring = try await InstalledKeys.open(settings.keyring, in: database, at: now)
            try await nameOldMasterKeys(database)
            return keyring
        }
    }

    /// New code on an old schema is refused. Old code on a new one is what a deployment looks like halfway: migrations
    /// expand first, and contract only when no old server runs (migrations/README.md).
    private func requireUsableSchema(_ pool: DatabasePool) async throws {
        switch try await migrator.status(of: pool) {
        case .current: return
        case .behind(let missing):
            throw Settings.Refusal(description: "The database lacks \(missing.joined(separator: ", ")): run `espalier migrate` first.")
        case .ahead(let newer):
            logger.notice("the schema is newer than this version", metadata: ["migrations": "\(newer.joined(separator: ", "))"])
        }
    }

    /// Row-level security does not hold for superusers, for who may bypass it and for owners.
    private func requireHarmlessRole(_ pool: DatabasePool) async throws {
        let role = try await pool.run(
            """
            SELECT r.rolsuper OR r.rolbypassrls OR pg_has_role(c.relowner, 'MEMBER') AS is_powerful,
                pg_has_role('espalier_server', 'USAGE') AS is_server
            FROM pg_roles r, pg_class c WHERE r.rolname = current_user AND c.oid = 'tenant'::regclass
            """)
        guard let role = role.first, try !role.get("is_powerful", as: Bool.self) else {
            throw Settings.Refusal(
                description: "ESPALIER_DATABASE_URL names a role that row-level security does not bind: use one that is no superuser, "
                    + "owns nothing and is a member of espalier_server.")
        }
        guard try role.get("is_server", as: Bool.self) else {
            throw Settings.Refusal(
                description: "ESPALIER_DATABASE_URL names a role that may not serve: run `GRANT espalier_server TO` it as the owner.")
        }
    }

    /// A keyring without the key that sealed an Apple key or a signing key would be found out by users, one login at a time. Of retired
    /// Apple keys nothing is left to open.
    private func requireMasterKeys(_ database: PlatformDatabase) async throws {
        let used = try await database.run(
            """
            SELECT DISTINCT substring(sealed_pem FROM 2 FOR 4) AS id, 'apple_key' AS "table" FROM apple_key WHERE sealed_pem <> ''
            UNION SELECT DISTINCT substring(sealed_private FROM 2 FOR 4), 'signing_key' FROM signing_key
            """)
        for row in used {
            guard let id = KeyID(try row.get("id")), settings.keyring.masterKeyIDs.contains(id) else {
                let name = KeyID(try row.get("id")).map { " \($0)" } ?? ""
                throw Settings.Refusal(
                    description: "ESPALIER_MASTER_KEYS lacks the key\(name). Rows of \(try row.get("table", as: String.self)) are "
                        + "sealed under it. Put it behind the others, separated by a comma. `espalier master-keys status` lists the "
                        + "data under each key.")
            }
        }
    }

    /// Says of every key but the newest whether it may be dropped, and names a key that was dropped too early.
    private func nameOldMasterKeys(_ database: PlatformDatabase) async throws {
        let (known, now) = try await KnownMasterKey.all(in: database)
        for key in known where !settings.keyring.masterKeyIDs.contains(key.id) {
            guard case .expiring(let end) = key.state(at: now) else { continue }
            logger.warning(
                "ESPALIER_MASTER_KEYS lacks a master key under which login attempts may still be sealed; put it behind the others until then",
                metadata: ["master_key": "\(key.id)", "until": "\(end.formatted(.iso8601))"])
        }
        for id in settings.keyring.masterKeyIDs.dropFirst() {
            guard let state = known.first(where: { $0.id == id })?.state(at: now) else { continue }
            let key: Logger.Metadata = ["master_key": "\(id)"]
            switch state {
            case .unused: break
            case .needed: logger.notice("data is sealed under an old master key: run `espalier master-keys reseal`", metadata: key)
            case .expiring(let end):
                let facts: Logger.Metadata = ["from": "\(end.formatted(.iso8601))"]
                logger.notice("an old master key may be dropped soon", metadata: key.merging(facts) { $1 })
            case .droppable: logger.notice("a master key may be dropped from ESPALIER_MASTER_KEYS", metadata: key)
            }
        }
    }
}
