import Access
import Foundation
import Postgres
package import Server
import Tenancy

extension TestPlatform {
    /// The ID of Acme's first own connection.
    package func ownConnection() async throws -> String {
        let found = try await ownerPool.run("SELECT id FROM connection WHERE team_id = \(own.team) ORDER BY id LIMIT 1")
            .first { try $0.get("id", as: ID<Connection>.self) }
        return found?.description ?? ""
    }

    /// Moves Acme to its own connection, and waits until sign-ins use it.
    @discardableResult
    package func moveToOwn(_ body: [String: any Sendable]? = nil) async throws -> TestBrowser.Answer {
        let answer = try await call("POST", "/tenants/acme/connections/\(try await ownConnection())/activate", body)
        guard answer.status == 200 else { throw TestSimulator.Refused(description: "not activated: \(answer.status) \(answer.body)") }
        try await serves(own, acme)
        return answer
    }

    /// Moves Acme to the shared connection, and waits until sign-ins use it.
    @discardableResult
    package func moveToShared(_ body: [String: any Sendable]? = nil) async throws -> TestBrowser.Answer {
        let answer = try await call("POST", "/tenants/acme/shared-connection/activate", body)
        guard answer.status == 200 else { throw TestSimulator.Refused(description: "not activated: \(answer.status) \(answer.body)") }
        try await serves(shared, acme)
        return answer
    }

    /// Waits until a tenant's sign-ins use this team at Apple.
    package func serves(_ side: AppleSide, _ tenant: SeedResult.TenantResult) async throws {
        try await eventually("\(tenant.slug) is served by \(side.servicesID)") {
            try await TestBrowser(self).authorize(.init(tenant))["client_id"] == side.servicesID
        }
    }
}
