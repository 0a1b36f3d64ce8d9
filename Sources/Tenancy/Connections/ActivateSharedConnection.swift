import Access
import Foundation
import Hummingbird
import Postgres
import Web

private struct Reply: Encodable {
    let id: ID<Tenant>
    let object = "tenant"
    let slug, name: String
    let plan: Tenant.Plan
    let status: Tenant.Status
    let issuer: String
    let relink_until: Date?
    let created_at, updated_at: Date

    init(_ tenant: Tenant, issuer: String, relinkUntil: Date?, updatedAt: Date) {
        (id, slug, name, plan, status) = (tenant.id, tenant.slug, tenant.name, tenant.plan, tenant.status)
        (self.issuer, relink_until) = (issuer, relinkUntil)
        (created_at, updated_at) = (tenant.createdAt, updatedAt)
    }
}

/// The properties of the shared connection that decide the change.
private struct Shared {
    let teamID: String
    let hasCurrentKey: Bool
    /// Whether the tenant has users of another team.
    let hasOthers: Bool

    init(_ row: Row) throws {
        teamID = try row.get("team_id")
        hasCurrentKey = try row.get("has_current_key")
        hasOthers = try row.get("has_others")
    }

    static func find(for tenant: ID<Tenant>, _ hasOthers: (SQL, SQL) -> SQL) -> SQL {
        """
        SELECT c.team_id, c.has_current_key, \(part: hasOthers("\(tenant)", "c.team_id")) AS has_others FROM shared_connection() AS c
        """
    }
}

extension ConnectionRoutes {
    /// Returns a tenant to the shared connection. Every plan permits this. The tenant's own connections do not change.
    @Sendable
    func activateSharedConnection(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try call.requireRecentSignIn(at: now())
        let users = try await ExistingUsers(request)
        let now = now()
        let (tenant, origin, hasOthers) = (call.tenant, call.origin, hasOthers)
        let issuer = TenantAddresses.issuer(of: call.slug, at: addresses(call.owner).primary, publicURL: publicURL)
        let reply = try await call.database(pool).transaction { db in
            var batch = Statements(Move.lock(tenant))
            let move = batch.append(Move.find(tenant))
            let found = batch.append(Tenant.find(tenant))
            let connection = batch.append(Shared.find(for: tenant, hasOthers))
            let results = try await db.run(batch)
            guard let before = try results[move].first(Move.init), let row = try results[found].first(Tenant.init)
            else { throw Problem.notFound("tenant") }
            try request.requireMatch(EntityTag(before.updatedAt))
            if before.connection == nil, users.choice == nil {
                return Reply(row, issuer: issuer, relinkUntil: before.relinkUntil, updatedAt: before.updatedAt)
            }
            guard let shared = try results[connection].first(Shared.init), shared.hasCurrentKey else {
                throw Problem(.conflict, "The platform has no working shared connection. Ask an operator.")
            }
            let relinkUntil = try users.relinkUntil(hasOthers: shared.hasOthers, at: now)
            let was = Serving(
                ownership: before.connection == nil ? .shared : .own, connection_id: before.connection, relink_until: before.relinkUntil)
            let serves = Serving(
                ownership: .shared, connection_id: nil, relink_until: relinkUntil, team_id: shared.teamID, existing_users: users.choice)
            let changed = now.asChange(after: before.updatedAt)
            _ = try await db.run([
                Move.leave(before.connection, tenant, at: now),
                """
                UPDATE tenant SET connection_id = NULL, shared_relink_until = \(relinkUntil), updated_at = \(changed)
                WHERE id = \(tenant)
                """,
                try AuditEvent.insert(
                    "activateSharedConnection", of: tenant.description, owner: tenant.uuid, by: origin, before: was, after: serves, at: now),
            ])
            return Reply(row, issuer: issuer, relinkUntil: relinkUntil, updatedAt: changed)
        }
        return try .resource(reply, updatedAt: reply.updated_at)
    }
}
