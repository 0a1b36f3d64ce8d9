import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension ConnectionRoutes {
    /// Uses one of the tenant's own connections for its sign-ins from now on. Login attempts in progress through another connection must
    /// start again.
    @Sendable
    func activateConnection(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("connection", of: "connection", as: Connection.self)
        let users = try await ExistingUsers(request)
        let now = now()
        let (tenant, actor) = (call.tenant, ConnectionActor(call))
        let details = try await call.database(pool).transaction { db in
            var batch = Statements(Move.lock(tenant))
            let move = batch.append(Move.find(tenant))
            let others = batch.append(hasOthers(than: id, tenant))
            let found = batch.append(ConnectionDetails.find(id, owner: tenant.uuid))
            let keys = batch.append(ConnectionDetails.keys(of: id, owner: tenant.uuid))
            let results = try await db.run(batch)
            guard let details = try ConnectionDetails.all(results[found], keys: results[keys]).first
            else { throw Problem.notFound("connection") }
            guard let before = try results[move].first(Move.init) else { throw Problem.notFound("tenant") }
            let hasOthers = try results[others].first { try $0.get("has_others", as: Bool.self) } ?? false
            guard before.plan.mayBringOwnConnection else {
                throw Problem(
                    .planRequired,
                    "A tenant's own connection needs the plan `\(Tenant.Plan.enterprise.rawValue)`. Its plan is `\(before.plan.rawValue)`."
                )
            }
            try request.requireMatch(details.tag)
            if before.connection == id, users.choice == nil { return details }
            guard details.keys.contains(where: { $0.state == .current }) else {
                throw Problem(
                    .conflict,
                    "Apple has not accepted a key of this connection yet. Check it, or add and promote a key. Then activate it.")
            }
            let relinkUntil = try users.relinkUntil(hasOthers: hasOthers, at: now)
            let was = Serving(
                ownership: before.connection == nil ? .shared : .own, connection_id: before.connection,
                relink_until: before.connection == id ? details.relinkUntil : before.relinkUntil)
            let serves = Serving(
                ownership: .own, connection_id: id, relink_until: relinkUntil, team_id: details.connection.teamID,
                existing_users: users.choice)
            var changes = Statements([
                """
                UPDATE connection SET relink_until = \(relinkUntil), updated_at = \(now.asChange(after: details.updatedAt))
                WHERE tenant_id = \(tenant) AND id = \(id)
                """,
                Move.leave(before.connection == id ? nil : before.connection, tenant, at: now),
                """
                UPDATE tenant SET connection_id = \(id), shared_relink_until = NULL, updated_at = \(now.asChange(after: before.updatedAt))
                WHERE id = \(tenant)
                """,
                try AuditEvent.insert(
                    "activateConnection", of: id.description, owner: tenant.uuid, by: actor.origin, before: was, after: serves, at: now),
            ])
            let changed = changes.append(ConnectionDetails.find(id, owner: tenant.uuid))
            let changedKeys = changes.append(ConnectionDetails.keys(of: id, owner: tenant.uuid))
            let written = try await db.run(changes)
            return try ConnectionDetails.all(written[changed], keys: written[changedKeys]).first ?? details
        }
        return try .resource(reply(details, to: actor), updatedAt: details.updatedAt)
    }

    /// Whether the tenant has users of another team than the connection's. It reads only the two ends of an index.
    private func hasOthers(than connection: ID<Connection>, _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT \(part: hasOthers("c.tenant_id", "c.team_id")) AS has_others
        FROM connection c WHERE c.tenant_id = \(tenant) AND c.id = \(connection)
        """
    }
}
