import Access
import Foundation
import Logging
import Postgres
import Sealing
import Signing
import Tenancy

/// The checks of `serve` before it accepts a request. They reject every setting that would cause harm later.
///
/// The checks return the keyring that the server uses.
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
        nameUnverifiedServers()
        return try await withPool(settings.databaseURL) { pool in
            try await requireUsableSchema(pool)
            try await requireHarmlessRole(pool)
            let database = PlatformDatabase(pool, for: .command)
            try await requireMasterKeys(database)
            let keyring = try await InstalledKeys.open(settings.keyring, in: database, at: now)
            try await nameOldMasterKeys(database)
            return keyring
        }
    }

    private func nameUnverifiedServers() {
        guard settings.databaseTLS == .unverified, let servers = try? DatabaseServers(url: settings.databaseURL),
            !servers.remote.isEmpty, !servers.isVerified
        else { return }
        logger.warning("the certificate of PostgreSQL is not verified, because ESPALIER_DATABASE_TLS is unverified")
    }

    private static let powerless = Settings.Refusal(
        description: "ESPALIER_DATABASE_URL names a role without the rights of espalier_server. Run `GRANT espalier_server TO` it as a "
            + "superuser. The role must have INHERIT.")

    /// New code on an old schema is rejected. Old code on a new schema is permitted, because it occurs during a
    /// deployment. Migrations expand first. They contract only when no old server runs (migrations/README.md).
    private func requireUsableSchema(_ pool: DatabasePool) async throws {
        let status: Migrator.Status
        do {
            status = try await migrator.status(of: pool)
        } catch let error as DatabaseError where error.sqlState == "42501" {
            throw Self.powerless
        }
        switch status {
        case .current: return
        case .behind(let missing):
            throw Settings.Refusal(description: "The database lacks \(missing.joined(separator: ", ")). Run `espalier migrate` first.")
        case .ahead(let newer):
            logger.notice("the schema is newer than this version", metadata: ["migrations": "\(newer.joined(separator: ", "))"])
        }
    }

    /// Row-level security does not apply to superusers, to owners, and to roles that may bypass it.
    private func requireHarmlessRole(_ pool: DatabasePool) async throws {
        let role = try await pool.run(
            """
            SELECT r.rolsuper OR r.rolbypassrls OR pg_has_role(t.relowner, 'MEMBER') AS is_powerful,
                pg_has_role('espalier_server', 'USAGE') AS is_server
            FROM pg_roles r, (\(part: Tenant.owner)) AS t WHERE r.rolname = current_user
            """)
        guard let role = role.first, try !role.get("is_powerful", as: Bool.self) else {
            throw Settings.Refusal(
                description: "ESPALIER_DATABASE_URL names a role that bypasses row-level security. Use a role that is not a superuser, "
                    + "owns nothing and is a member of espalier_server.")
        }
        guard try role.get("is_server", as: Bool.self) else { throw Self.powerless }
    }

    /// Without this check, users would be the first to notice a keyring without the key of a sealed Apple key or signing key. Retired
    /// Apple keys are left out, because their sealed values are deleted.
    private func requireMasterKeys(_ database: PlatformDatabase) async throws {
        let used = try await database.run(
            """
            SELECT id, 'apple_key' AS "table" FROM (\(part: AppleKey.masterKeys)) AS a
            UNION SELECT id, 'signing_key' FROM (\(part: SigningKey.masterKeys)) AS s
            """)
        for row in used {
            guard let id = KeyID(try row.get("id")), settings.keyring.masterKeyIDs.contains(id) else {
                let name = KeyID(try row.get("id")).map { " \($0)" } ?? ""
                throw Settings.Refusal(
                    description: "ESPALIER_MASTER_KEYS lacks the key\(name). Rows of \(try row.get("table", as: String.self)) are "
                        + "sealed under it. Add it after the others, separated by a comma. `espalier master-keys status` lists the "
                        + "data under each key.")
            }
        }
    }

    /// Reports for each key except the newest whether it may be removed, and names a key that was removed too early.
    private func nameOldMasterKeys(_ database: PlatformDatabase) async throws {
        let (known, now) = try await KnownMasterKey.all(in: database)
        for key in known where !settings.keyring.masterKeyIDs.contains(key.id) {
            guard case .expiring(let end) = key.state(at: now) else { continue }
            logger.warning(
                "ESPALIER_MASTER_KEYS lacks a master key under which login attempts may still be sealed; add it after the others until then",
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
