import Access
import Foundation
import Hummingbird
import Mail
import Pages
import Postgres
import Web

extension InvitationRoutes {
    /// Deletes an invitation, so that its link is of no use. A person who accepted it stays a member.
    ///
    /// It needs no scope of the role, because the holder of a leaked link must not be faster than an owner. The owners get a mail if an
    /// operator deletes it.
    func deleteInvitation(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("invitation", of: "invitation", as: Invitation.self)
        let now = now()
        let (owner, origin) = (call.owner, call.origin)
        let notice = try await notices.memberMail(of: call, pool)
        try await call.database(pool).transaction { db in
            let (_, found) = try await db.run(Membership.lockAll(of: owner), Invitation.lock(id, of: owner))
            guard let invitation = try found.first(Invitation.init) else { throw Problem.notFound("invitation") }
            try request.requireMatch(EntityTag(invitation.updatedAt))
            let removal = invitation.mail.map { [Mail.removal($0, owner: owner)] } ?? []
            let mail = try await notice?(
                .uninvited(invitation.email, role: invitation.role.title(of: owner, in: db)),
                BuiltInRole.owner.isIncluded(in: invitation.role.scopes(of: owner, in: db)))
            let mails = try await notices.insertions(mail, of: owner, in: db, at: now)
            _ = try await db.run(
                removal + mails + [Invitation.delete(id, of: owner), try invitation.deletion(of: owner, by: origin, at: now)])
        }
        return .noContent
    }
}

extension Invitation {
    /// The audit event of a deletion.
    func deletion(of owner: UUID, by origin: AuditEvent.Origin, at now: Date) throws -> SQL {
        try AuditEvent.insert(
            owner == .platform ? "deletePlatformInvitation" : "deleteInvitation", of: id.description, owner: owner, by: origin,
            before: InvitationReply(self, at: now), at: now)
    }
}
