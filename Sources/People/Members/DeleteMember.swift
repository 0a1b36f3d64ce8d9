import Access
import Foundation
import Hummingbird
import Pages
import Postgres
import Web

extension MemberRoutes {
    /// Ends the membership of a person, and deletes the open invitations that the person created. With `revoke_api_keys`, the API keys that
    /// the person issued for this owner end, too. The account remains.
    func deleteMember(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        let revokesKeys = try Query(request, "revoke_api_keys").flag("revoke_api_keys") ?? false
        if revokesKeys { try call.require(.apiKeysWrite) }
        let id = try call.id("member", of: "member", as: Membership.self)
        let now = now()
        let (owner, origin) = (call.owner, call.origin)
        let notice = try await notices.memberMail(of: call, pool)
        let action = owner == .platform ? "deleteOperator" : "deleteMember"
        let end: @Sendable (Transaction) async throws -> Void = { db in
            let (_, found) = try await db.run(Membership.lockAll(of: owner), Membership.lock(id, of: owner))
            guard let member = try found.first(Membership.init) else { throw Problem.notFound("member") }
            try request.requireMatch(EntityTag(member.updatedAt))
            try await call.requireNoOwner(in: db)
            let scopes = try await member.role.scopes(of: owner, in: db)
            try call.requireGrant(scopes)
            try await member.requireOtherOwner(call, in: db)
            let keys =
                revokesKeys
                ? try await APIKey.revokeIssued(by: member.person, owner: owner, as: action, origin: origin, in: db, at: now) : []
            let (withdrawals, events) = try await Invitation.withdraw(
                by: [member.person], keys, owner: owner, origin: origin, in: db, at: now)
            let mail = try await notice?(
                .removed(member.email, role: member.role.title(of: owner, in: db)), BuiltInRole.owner.isIncluded(in: scopes))
            let mails = try await notices.insertions(mail, of: owner, in: db, at: now)
            _ = try await db.run(
                mails + withdrawals + ["DELETE FROM membership WHERE tenant_id = \(owner) AND id = \(id)"] + events.map(\.event) + [
                    try AuditEvent.insert(action, of: id.description, owner: owner, by: origin, before: MemberReply(member), at: now)
                ])
        }
        // An operator has invitations in the tenants, too.
        if let platform = call as? PlatformContext {
            try await platform.platformDatabase(pool).transaction(end)
        } else {
            try await call.database(pool).transaction(end)
        }
        return .noContent
    }
}
