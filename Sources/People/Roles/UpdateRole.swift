import Access
import Encoding
import Foundation
import Hummingbird
import Postgres
import Web

extension RoleRoutes {
    /// Changes the name or the scopes of a role with a JSON merge patch (RFC 7396). The caller must have the scopes from before and the
    /// new ones, because all members with the role get or lose them.
    @Sendable
    func updateRole(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("role", of: "role", as: CustomRole.self)
        var fields = try await JSONFields(request)
        for name in ["name", "scopes"] where fields.isNull(name) { fields.refuse(name, "It cannot be removed.") }
        let name = fields.text("name", 1...50) { CustomRole.refusal(ofName: $0) }
        let scopes = fields.choices("scopes", APIKey.Scope.self)?.map(\.rawValue)
        try fields.finish()

        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        let role = try await refusingConflicts {
            try await call.database(pool).transaction { db in
                let (_, found) = try await db.run(Membership.lockAll(of: owner), CustomRole.lock(id, of: owner))
                guard let current = try found.first(CustomRole.init) else { throw Problem.notFound("role") }
                try request.requireMatch(EntityTag(current.updatedAt))
                try await call.requireNoOwner(in: db)
                var changed = current
                changed.name = name ?? current.name
                changed.scopes = scopes ?? current.scopes
                // A request without an effective change leaves no audit event.
                guard !changed.name.isSame(as: current.name) || Set(changed.scopes) != Set(current.scopes) else { return current }
                try call.requireGrant(current.scopes + changed.scopes)
                changed.updatedAt = now.asChange(after: current.updatedAt)
                let hasLess = !Set(current.scopes).isSubset(of: changed.scopes)
                let people = try await db.run("SELECT person_id FROM membership WHERE tenant_id = \(tenant) AND role_id = \(id)")
                    .map { try $0.get("person_id", as: ID<Person>.self) }
                let (withdrawals, events) = try await Invitation.withdraw(
                    by: hasLess ? people : [], owner: owner, origin: origin, in: db, at: now)
                _ = try await db.run(
                    withdrawals + [changed.update(tenant: tenant)] + events.map(\.event) + [
                        try AuditEvent.insert(
                            "updateRole", of: id.description, owner: owner, by: origin, before: RoleReply(current),
                            after: RoleReply(changed), at: now)
                    ])
                return changed
            }
        }
        return try .resource(RoleReply(role), updatedAt: role.updatedAt)
    }
}
