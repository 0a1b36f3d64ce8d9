import Access
import ArgumentParser
import Configuration
import Foundation
import Logging
import Postgres
import Sealing

struct MasterKeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "master-keys", abstract: "Rotates the master keys.",
        discussion: "docs/master-keys.md describes a rotation step by step.",
        subcommands: [MasterKeysStatus.self, ResealCommand.self])
}

/// The settings of these commands: the master keys, and the role that owns the schema. The server's role cannot write all sealed columns.
struct MasterKeySettings {
    let keyring: Keyring
    private let ownerURL: String

    init(_ reader: ConfigReader) throws {
        let reader = reader.scoped(to: "espalier")
        keyring = try Settings.keyring(reader)
        ownerURL = try Settings.ownerURL(reader)
    }

    /// - Throws: `Settings.Refusal` for a role that does not own the schema, or a schema of an older version.
    func withDatabase<T: Sendable>(_ body: @Sendable (PlatformDatabase) async throws -> T) async throws -> T {
        try await withPool(ownerURL) { pool in
            let found = try await pool.run(
                "SELECT pg_has_role(relowner, 'MEMBER') AS is_owner FROM pg_class WHERE oid = to_regclass('digest_key')")
            guard let row = found.first else {
                throw Settings.Refusal(description: "The database schema is of an older version. Run `espalier migrate` first.")
            }
            guard try row.get("is_owner", as: Bool.self) else {
                throw Settings.Refusal(
                    description:
                        "ESPALIER_MIGRATION_DATABASE_URL names a role that does not own the schema. Use the role of `espalier migrate`.")
            }
            return try await body(PlatformDatabase(pool, for: .command))
        }
    }
}
