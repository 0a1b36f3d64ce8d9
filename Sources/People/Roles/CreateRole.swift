import Access
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Web

extension RoleRoutes {
    /// Defines a role with a subset of the caller's scopes.
    @Sendable
    func createRole(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let name = fields.text("name", 1...50, isRequired: true) { CustomRole.refusal(ofName: $0) }
        let scopes = fields.choices("scopes", APIKey.Scope.self, isRequired: true)
        try fields.finish()
        guard let name, let scopes else { throw Problem(.invalid, "`name` and `scopes` are required.") }

        let now = now()
        let role = CustomRole(id: ID(at: now), name: name, scopes: scopes.map(\.rawValue), createdAt: now, updatedAt: now)
        try call.requireGrant(role.scopes)
        let tenant = call.tenant
        let event = try AuditEvent.insert(
            "createRole", of: role.id.description, owner: call.owner, by: call.origin, after: RoleReply(role), at: now)
        try await refusingConflicts {
            try await call.database(pool).transaction { db in
                let (_, existing) = try await db.run(
                    Membership.lockAll(of: tenant.uuid), "SELECT count(*) AS n FROM custom_role WHERE tenant_id = \(tenant)")
                try await call.requireNoOwner(in: db)
                guard try existing[0].get("n", as: Int.self) < CustomRole.most
                else { throw Problem(.conflict, "A tenant can have at most \(CustomRole.most) roles. Delete an unused one.") }
                _ = try await db.run([role.insert(tenant: tenant), event])
            }
        }
        return try .resource(RoleReply(role), updatedAt: now, status: .created)
    }
}
