import Access
import Encoding
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

extension TransferRoutes {
    /// Creates a transfer. The set of users is not fixed yet. A user who signs up under the old team later moves, too.
    @Sendable
    func createTransfer(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let named = fields.text("connection_id", isRequired: true)
        let toTeam = fields.text("to_team_id", isRequired: true) {
            $0.wholeASCIIMatch(of: /[A-Z0-9]{10}/) == nil ? "A Team ID has ten capital letters and digits." : nil
        }
        try fields.finish()
        guard let toTeam, let named, let connection = ID<Connection>(named) else { throw Problem.notFound("connection") }

        let now = now()
        let (tenant, origin, id) = (call.tenant, call.origin, ID<TeamTransfer>(at: now))
        do {
            let reply = try await call.database(pool).transaction { db in
                let from = try await db.run(
                    "SELECT team_id, services_id FROM (\(part: Connection.clients)) AS c WHERE tenant_id = \(tenant) AND id = \(connection)"
                ).first { (team: try $0.get("team_id", as: String.self), servicesID: try $0.get("services_id", as: String.self)) }
                guard let from else { throw Problem.notFound("connection") }
                guard from.team != toTeam else {
                    throw Problem.invalid(.init("to_team_id", "This is the connection's own team. Send the receiving team's Team ID."))
                }
                _ = try await db.run(
                    """
                    INSERT INTO team_transfer (tenant_id, id, from_team_id, to_team_id, services_id, created_at, updated_at)
                    VALUES (\(tenant), \(id), \(from.team), \(toTeam), \(from.servicesID), \(now), \(now))
                    """)
                let reply = try await self.reply(id, of: tenant, in: db, at: now)
                _ = try await db.run(
                    try AuditEvent.insert("createTransfer", of: id.description, owner: tenant.uuid, by: origin, after: reply, at: now))
                return reply
            }
            return try .json(reply, status: .created, headers: [.location: "\(request.uri.path)/\(id)"])
        } catch let error as DatabaseError where error.constraint == "team_transfer_open" {
            throw Problem(.alreadyExists, "A transfer between these teams already exists. Continue it, or close it first.")
        }
    }
}
