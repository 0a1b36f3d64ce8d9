import Access
import Billing
import Branding
import Domains
import Foundation
import Postgres
package import Server
package import Tenancy
@testable package import Users

extension TestPlatform {
    /// The number of a table's rows, of all tenants.
    package func count(_ table: String, where condition: String = "true") async throws -> Int {
        try await ownerPool.run(SQL(unsafe: "SELECT count(*) AS n FROM \(table) WHERE \(condition)"))
            .first { try $0.get("n", as: Int.self) } ?? 0
    }

    /// The number of billed logins, of all tenants. Each waits to be aggregated, or is an event of the ledger.
    package func countBilled(where condition: String = "true") async throws -> Int {
        try await count("(SELECT * FROM usage_arrival UNION SELECT * FROM usage_event) AS billed", where: condition)
    }

    /// Registers redirect URIs instead of an application's own.
    package func setRedirectURIs(_ uris: [String], of application: SeedResult.App) async throws {
        let id = ID<Application>(application.client_id)
        _ = try await ownerPool.run("UPDATE application SET redirect_uris = \(uris) WHERE id = \(id)")
    }

    package func suspend(_ tenant: SeedResult.TenantResult) async throws {
        _ = try await ownerPool.run("UPDATE tenant SET status = 'suspended' WHERE slug = \(tenant.slug)")
    }

    /// A tenant's configuration in the server, read again.
    package func configuration(of tenant: SeedResult.TenantResult) async throws -> TenantConfiguration {
        let directory = TenantDirectory(
            database: PlatformDatabase(pool), keyring: settings.keyring, brands: Branding.ofTenants, domains: Domain.ofTenants)
        guard let found = try await directory.find(slug: tenant.slug) else { throw NotThere() }
        return found
    }

    private struct NotThere: Error {}

    /// The stored name and email address of a user, by its `sub`.
    package func user(_ subject: String) async throws -> User? {
        guard let id = ID<User>(subject) else { return nil }
        return try await ownerPool.run(
            "SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled FROM tenant_user WHERE id = \(id)"
        ).first(User.init)
    }

    /// Waits until statements of the installation wait for locks of other transactions, such as one of the test.
    /// - Parameter count: their number. Default: at least one.
    package func waitForLock(_ what: String, by count: Int? = nil) async throws {
        try await eventually(what) {
            let waiting = try await pool.run(
                "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            ).count
            return count.map { waiting == $0 } ?? (waiting > 0)
        }
    }
}
