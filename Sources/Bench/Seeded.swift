import Foundation

/// The tenants of a measurement, created by `espalier seed`.
///
/// All are on the shared connection, whose one Return URL serves any number of tenants. Each has one confidential application. An
/// operator's API key can read all of them.
struct Seeded: Sendable {
    struct Member: Sendable {
        let slug: String
        let clientID: String
        let clientSecret: String
    }

    let tenants: [Member]
    let apiKey: String

    static let redirectURI = "https://app.example.com/callback"
    /// Each call of `espalier seed` is one transaction.
    private static let tenantsPerCall = 2_000

    /// - Parameter seed: Runs `espalier seed` with a plan, and returns its output.
    init(_ connection: ApplePortal.Connection, tenants count: Int, seed: (_ plan: String) async throws -> String) async throws {
        var (tenants, apiKey) = ([Member](), "")
        for first in stride(from: 1, through: count, by: Self.tenantsPerCall) {
            let isFirst = first == 1
            let plan = Plan(
                connection: isFirst ? connection : nil,
                tenants: (first...min(first + Self.tenantsPerCall - 1, count)).map { Plan.Tenant(slug: "tenant-\($0)") },
                api_keys: isFirst ? [Plan.APIKey()] : [])
            let output = try await seed(String(decoding: try JSONEncoder().encode(plan), as: UTF8.self))
            let printed = try JSONDecoder().decode(Printed.self, from: Data(output.utf8))
            if let key = printed.api_keys.first { apiKey = key.secret }
            tenants += printed.tenants.map { tenant in
                let application = tenant.applications[0]
                return Member(slug: tenant.slug, clientID: application.client_id, clientSecret: application.client_secret)
            }
        }
        (self.tenants, self.apiKey) = (tenants, apiKey)
    }

    private struct Plan: Encodable {
        struct Application: Encodable {
            let name = "Web", kind = "web", redirect_uris = [Seeded.redirectURI]
        }
        struct Tenant: Encodable {
            let slug: String
            let name = "Tenant", plan = "scale", applications = [Application()]
        }
        struct APIKey: Encodable {
            let name = "Bench"
        }
        let connection: ApplePortal.Connection?
        let tenants: [Tenant]
        let api_keys: [APIKey]
    }

    private struct Printed: Decodable {
        struct Key: Decodable { let secret: String }
        struct Application: Decodable { let client_id, client_secret: String }
        struct Tenant: Decodable {
            let slug: String
            let applications: [Application]
        }
        let api_keys: [Key]
        let tenants: [Tenant]
    }
}
