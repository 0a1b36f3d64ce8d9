@testable import Access
import Foundation
import Postgres
import Sealing
@testable import Server
@testable import Tenancy
import TestSupport
import Testing

/// `espalier master-keys` walks over all sealed values while a server runs.
@Suite("Sealed data")
struct SealedDataTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL

    /// Columns of bytes without a sealed value.
    private static let plain: Set = [
        "api_key.digest", "api_key.bound_digest", "application_secret.digest", "application_secret.bound_digest", "apple_key.fingerprint",
        "audit_event.hash", "audit_event.previous_hash", "digest_key.id", "logo.data", "logo.digest", "idempotency_key.body_digest",
        "idempotency_key.digest",
        "master_key.id", "schema_migration.checksum", "single_use.digest", "statement.digest", "initial_access_token.digest",
        "initial_access_token.bound_digest", "client_registration.digest", "client_registration.bound_digest",
        "device_authorization.user_code_digest", "person_device.user_code_digest",
        "invitation.digest", "invitation.bound_digest", "person_session.digest",
        "person_session.bound_digest", "passkey.credential_id", "passkey.public_key", "passkey.aaguid", "recovery_code.digest",
    ]

    @Test("every column of bytes is walked over, or listed here as one without sealed values")
    func columns() async throws {
        let owner = try TestDatabase.pool(try await TestDatabase.make().ownerURL)
        let found = try await owner.run(
            """
            SELECT c.table_name || '.' || c.column_name AS name FROM information_schema.columns c
            JOIN pg_class t ON t.oid = c.table_name::regclass
            WHERE c.table_schema = 'public' AND c.data_type = 'bytea' AND t.relkind IN ('r', 'p') AND NOT t.relispartition
            """
        ).map { try $0.get("name", as: String.self) }
        let walked = Set(SealedData.columns.map { "\($0.table).\($0.column)" })
        #expect(walked.count == SealedData.columns.count && walked.count == 13)
        #expect(Set(found).subtracting(walked).subtracting(Self.plain).sorted() == [], "sealed? Add a SealedColumn")
        #expect(walked.subtracting(found).sorted() == [])
    }

    @Test("every sealing context belongs to a column that is walked over")
    func contexts() throws {
        let walked = Set(SealedData.columns.map { "\($0.table).\($0.column)" })
        var contexts: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: Self.root.appending(path: "Sources").path)
        where path.hasSuffix(".swift") {
            let text = try String(contentsOf: Self.root.appending(path: "Sources").appending(path: path), encoding: .utf8)
            for match in text.matches(of: /table: "([a-z_]+)", column: "([a-z_]+)"/) { contexts.insert("\(match.1).\(match.2)") }
        }
        // Digests are bound to these contexts, but nothing is sealed for them.
        let digests: Set = [
            "api_key.digest", "application_secret.digest", "initial_access_token.digest", "client_registration.digest",
            "invitation.digest", "person_session.digest",
        ]
        #expect(contexts.subtracting(digests) == walked)
    }

    /// A row with a value sealed under the platform's master key in every column.
    private static func fill(_ platform: TestPlatform) async throws -> [String: [[UInt8]]] {
        _ = try await TestBrowser(platform).tokens(.init(platform.globex))
        let globex = try #require(ID<Tenant>(platform.globex.id))
        try await TenantTables.fill(globex, platform.ownerPool)
        _ = try await platform.ownerPool.run([
            "UPDATE idempotency_key SET sealed_answer = '\\x00'", "UPDATE usage_sink SET sealed_secret = '\\x00'",
            // These tables have no sealed value.
            "INSERT INTO idempotency_key VALUES (\(globex), \(UUID()), '\\x01', '\\x00', now(), now())",
            """
            INSERT INTO apple_notification (tenant_id, id, jti, type, client_id, team_ids, event_at, sealed_payload, received_at,
                waiting_since, state, updated_at)
            VALUES (\(globex), \(UUID()), 'y', 'x', 'x', '{x}', now(), '', now(), now(), 'pending', now())
            """,
        ])
        let keyring = platform.settings.keyring
        var values: [String: [[UInt8]]] = [:]
        for column in SealedData.columns {
            for row in try await platform.ownerPool.run(column.page(column.first, 100, [])) {
                guard let old = try row.get("sealed", as: [UInt8]?.self), !old.isEmpty else { continue }
                let (key, value) = (try row.get("key", as: [String].self), Array("\(column.table) \(UUID())".utf8))
                // The digest key must not change.
                let isMade = column.table != "digest_key"
                let context = try column.context(key)
                let plaintext = isMade ? value : try keyring.open(Sealed(bytes: old), in: context)
                let new = keyring.seal(plaintext, in: context).bytes
                #expect(try await platform.ownerPool.run(column.write(key.map { [$0] }, [old], [new])).affected == 1, "\(column.table)")
                values[column.table, default: []].append(plaintext)
            }
        }
        return values
    }

    @Test("everything moves to the newest key, including a small batch and a row without a value, and opens without the old key")
    func resealed() async throws {
        try await TestPlatform.run { platform in
            let values = try await Self.fill(platform)
            #expect(values.count == 13)
            let (old, new) = (platform.settings.keyring, MasterKey.generate())
            let both = try Keyring([new, try MasterKey(base64: platform.masterKey)])
            let data = SealedData(database: PlatformDatabase(platform.ownerPool))
            for column in SealedData.columns {
                #expect(try await data.count(column) == [old.masterKeyIDs[0]: values[column.table]!.count], "\(column.table)")
                let result = try await data.reseal(column, with: both) { _ in }
                #expect(result.moved == values[column.table]!.count && result.held == 0 && result.unreadable.isEmpty, "\(column.table)")
                #expect(try await data.count(column) == [both.masterKeyIDs[0]: values[column.table]!.count], "\(column.table)")
                // A second run changes nothing.
                #expect(try await data.reseal(column, with: both) { _ in }.moved == 0)
                let alone = try Keyring([new])
                let found = try await platform.ownerPool.run(column.page(column.first, 100, [])).compactMap { row -> [UInt8]? in
                    guard let sealed = try row.get("sealed", as: [UInt8]?.self), !sealed.isEmpty else { return nil }
                    return try alone.open(Sealed(bytes: sealed), in: try column.context(try row.get("key")))
                }
                #expect(Set(found) == Set(values[column.table]!), "\(column.table)")
            }
        }
    }

    @Test("a concurrently written value stays, a locked row is skipped, and a value that does not open is counted")
    func besideServers() async throws {
        try await TestPlatform.run { platform in
            _ = try await Self.fill(platform)
            let both = try Keyring([.generate(), try MasterKey(base64: platform.masterKey)])
            let data = SealedData(database: PlatformDatabase(platform.ownerPool))
            let column = try #require(SealedData.columns.first { $0.table == "webhook_secret" })
            let page = try await platform.ownerPool.run(column.page(column.first, 100, []))
            let (key, read) = (try page[0].get("key", as: [String].self), try page[0].get("sealed", as: [UInt8].self))
            // Another value than the one that was read.
            let written = platform.settings.keyring.seal([1, 2, 3], in: try column.context(key)).bytes
            _ = try await platform.ownerPool.run("UPDATE webhook_secret SET sealed_secret = \(written)")
            #expect(try await platform.ownerPool.run(column.write(key.map { [$0] }, [read], [[9]])).affected == 0)

            try await platform.pool.transaction(prelude: PlatformDatabase.prelude) { db in
                _ = try await db.run("SELECT FROM webhook_secret FOR UPDATE")
                let result = try await data.reseal(column, with: both) { _ in }
                #expect(result.moved == 0 && result.held == 1)
            }
            #expect(try await data.reseal(column, with: both) { _ in }.moved == 1)

            let forged = platform.settings.keyring.seal([1], in: .init(tenant: nil, table: "x", column: "x", row: "x")).bytes
            _ = try await platform.ownerPool.run("UPDATE webhook_secret SET sealed_secret = \(forged)")
            #expect(
                try await data.reseal(column, with: both) { _ in }.unreadable == [platform.settings.keyring.masterKeyIDs[0]: 1])
            _ = try await platform.ownerPool.run("UPDATE webhook_secret SET sealed_secret = '\\x00'")
            #expect(try await data.reseal(column, with: both) { _ in }.unreadable == [nil: 1])
        }
    }
}
