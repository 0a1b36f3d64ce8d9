import Access
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Applications that an older version registered")
struct RegisteredBeforeTests {
    @Test("the migration marks existing ones as of third parties, and no others")
    func existing() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("migrations-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let all = try FileManager.default.contentsOfDirectory(atPath: TestDatabase.migrations).filter { $0.hasSuffix(".sql") }
        func copy(_ isWanted: (String) -> Bool) throws {
            for file in all where isWanted(file) {
                try FileManager.default.copyItem(
                    atPath: "\(TestDatabase.migrations)/\(file)", toPath: folder.appendingPathComponent(file).path)
            }
        }
        let url = try await TestDatabase.empty().ownerURL
        let pool = try TestDatabase.pool(url)
        try copy { $0 < "0048" }
        _ = try await Migrator(folder: folder.path).migrate(url: url)
        let (tenant, token, registered, other) = (UUID(), UUID(), UUID(), UUID())
        _ = try await pool.run(
            """
            INSERT INTO tenant (id, slug, name, plan, status, created_at, updated_at)
            VALUES (\(tenant), 'acme', 'Acme', 'free', 'active', now(), now())
            """)
        for application in [registered, other] {
            _ = try await pool.run(
                """
                INSERT INTO application (tenant_id, id, kind, name, redirect_uris, created_at, updated_at)
                VALUES (\(tenant), \(application), 'web', 'Shop', '{https://app.test/}', now(), now())
                """)
        }
        _ = try await pool.run(
            """
            INSERT INTO initial_access_token (tenant_id, id, name, digest, bound_digest, last_four, kinds, requires_pkce,
                max_registrations, registrations, expires_at, created_at, updated_at)
            VALUES (\(tenant), \(token), 'Partner', '\\x00', '\\x00', 'abcd', '{web}', true, 1, 1, now(), now(), now())
            """)
        _ = try await pool.run(Self.registration(of: registered, tenant, by: token))
        try copy { $0 >= "0048" }
        _ = try await Migrator(folder: folder.path).migrate(url: url)
        let marked = try await pool.run("SELECT id FROM application WHERE is_third_party").map { try $0.get("id", as: UUID.self) }
        #expect(marked == [registered])
    }

    private static func registration(of application: UUID, _ tenant: UUID, by token: UUID) -> SQL {
        """
        INSERT INTO client_registration (tenant_id, application_id, initial_access_token_id, digest, bound_digest, metadata, created_at,
            updated_at)
        VALUES (\(tenant), \(application), \(token), '\\x00', '\\x00', '{}', now(), now())
        """
    }
}
