import Access
import Foundation
import Postgres
import Sealing
import Server
import Tenancy

/// The tenants of a measurement. `espalier seed` creates one. The others are its copies, created by one statement per
/// table.
///
/// All are on the shared connection, whose one Return URL serves any number of tenants. The applications are confidential
/// and share a secret. Each row has a copy of the digest that is bound to the row. An operator's API key can read all of
/// them.
struct Seeded: Sendable {
    struct Member: Sendable {
        let slug: String
        let clientID: String
    }

    let tenants: [Member]
    let clientSecret: String
    let apiKey: String

    static let redirectURI = "https://app.example.com/callback"

    /// Returns the plan for `espalier seed`.
    static func plan(with connection: ApplePortal.Connection) throws -> String {
        struct Plan: Encodable {
            struct Application: Encodable {
                let name = "Web", kind = "web", redirect_uris = [Seeded.redirectURI]
            }
            struct Tenant: Encodable {
                let slug = "tenant-1", name = "Tenant", plan = "scale", applications = [Application()]
            }
            struct APIKey: Encodable {
                let name = "Bench"
            }
            let connection: ApplePortal.Connection
            let tenants = [Tenant()], api_keys = [APIKey()]
        }
        return String(decoding: try JSONEncoder().encode(Plan(connection: connection)), as: UTF8.self)
    }

    /// - Parameters:
    ///   - first: The output of `espalier seed`.
    ///   - masterKey: The master key in base64.
    init(first: String, tenants count: Int, masterKey: String, in owner: DatabasePool) async throws {
        struct Printed: Decodable {
            struct Key: Decodable { let secret: String }
            struct Application: Decodable { let client_secret: String }
            struct Tenant: Decodable { let applications: [Application] }
            let api_keys: [Key]
            let tenants: [Tenant]
        }
        let printed = try JSONDecoder().decode(Printed.self, from: Data(first.utf8))
        (apiKey, clientSecret) = (printed.api_keys[0].secret, printed.tenants[0].applications[0].client_secret)

        _ = try await owner.run([
            """
            INSERT INTO tenant (id, slug, name, plan, status, created_at, updated_at)
            SELECT gen_random_uuid(), 'tenant-' || number, name, plan, status, created_at, updated_at
            FROM tenant, generate_series(2, \(count)) AS number
            """,
            """
            INSERT INTO application (tenant_id, id, name, kind, redirect_uris, created_at, updated_at)
            SELECT tenant.id, gen_random_uuid(), first.name, kind, redirect_uris, first.created_at, first.updated_at
            FROM application AS first, tenant WHERE tenant.id <> first.tenant_id
            """,
            """
            INSERT INTO application_secret (tenant_id, id, application_id, digest, last_four, created_at)
            SELECT a.tenant_id, gen_random_uuid(), a.id, first.digest, first.last_four, first.created_at
            FROM application_secret AS first, application AS a WHERE a.id <> first.application_id
            """,
        ])
        let keyring = try await InstalledKeys.open(
            try Keyring([try MasterKey(base64: masterKey)]), in: PlatformDatabase(owner, for: .command), at: Date())
        try await UnboundDigests.bind(with: keyring, in: owner)
        // Otherwise, autovacuum would do it during the measurement.
        _ = try await owner.run("VACUUM ANALYZE")
        tenants = try await owner.run(
            """
            SELECT t.slug, a.id FROM tenant t JOIN application a ON a.tenant_id = t.id
            ORDER BY substr(t.slug, 8)::int
            """
        ).map { Member(slug: try $0.get("slug"), clientID: try $0.get("id", as: ID<Application>.self).description) }
    }
}
