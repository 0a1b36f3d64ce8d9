import Postgres
import TestSupport
import Testing

extension TestPlatform {
    /// The events of one action in the trail of a tenant or the platform, newest first, as an operator reads them.
    func trail(of tenant: String?, action: String) async throws -> [[String: any Sendable]] {
        let path = tenant.map { "/tenants/\($0)/audit-events" } ?? "/platform/audit-events"
        let answer = try await call("GET", "\(path)?action=\(action)")
        #expect(answer.status == 200, "\(answer.body)")
        return answer.json["data"] as? [[String: any Sendable]] ?? []
    }

    /// Reduces the scopes of the operator's key.
    func limitOperator(to scopes: [String]) async throws {
        _ = try await ownerPool.run("UPDATE api_key SET scopes = \(scopes) WHERE name = 'Operator'")
    }
}
