import Access
import Foundation
import Hummingbird
import Pages
import Postgres
import Web

extension MemberRoutes {
    /// Gives a member another role with a JSON merge patch (RFC 7396). The caller must have the scopes of both roles.
    @Sendable
    func updateMember(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("member", of: "member", as: Membership.self)
        var fields = try await JSONFields(request)
        if fields.isNull("role") { fields.refuse("role", "It cannot be removed. Delete the member instead.") }
        let role = fields.role()
        try fields.finish()

        let now = now()
        let (owner, origin) = (call.owner, call.origin)
        try await call.requireNoOperator(id, pool)
        let notice = try await notices.memberMail(of: call, pool)
        let database = call.database(pool)
        let member = try await database.transaction { db in
            let (_, found) = try await db.run(Membership.lockAll(of: owner), Membership.lock(id, of: owner))
            guard let current = try found.first(Membership.init) else { throw Problem.notFound("member") }
            try request.requireMatch(EntityTag(current.updatedAt))
            try await call.requireNoOwner(in: db)
            // A request without an effective change leaves no audit event.
            guard let role, role != current.role else { return current }
            let scopes = try await current.role.scopes(of: owner, in: db)
            let newScopes = try await role.scopes(of: owner, in: db)
            try call.requireGrant(scopes + newScopes)
            try await current.requireOtherOwner(call, in: db)
            var changed = current
            (changed.role, changed.updatedAt) = (role, now.asChange(after: current.updatedAt))
            let hasLess = !Set(scopes).isSubset(of: newScopes)
            let (withdrawals, events) = try await Invitation.withdraw(
                by: hasLess ? [current.person] : [], owner: owner, origin: origin, in: db, at: now)
            let mail = try await notice?(
                .roleChanged(current.email, from: current.role.title(of: owner, in: db), to: role.title(of: owner, in: db)),
                [scopes, newScopes].contains(where: BuiltInRole.owner.isIncluded))
            let mails = try await notices.insertions(mail, of: owner, in: db, at: now)
            _ = try await db.run(
                mails + withdrawals + [
                    """
                    UPDATE membership SET role = \(role.name), role_id = \(role.customID), updated_at = \(changed.updatedAt)
                    WHERE tenant_id = \(owner) AND id = \(id)
                    """
                ] + events.map(\.event) + [
                    try AuditEvent.insert(
                        "updateMember", of: id.description, owner: owner, by: origin, before: MemberReply(current),
                        after: MemberReply(changed), at: now)
                ])
            return changed
        }
        let keys = try await APIKey.issuedCounts(by: [member.person], owner: owner, in: database, at: now)
        return try .resource(MemberReply(member, apiKeys: keys[member.person] ?? 0), updatedAt: member.updatedAt)
    }
}
