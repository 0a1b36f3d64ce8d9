import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Mail
import Pages
import Postgres
import Web

extension InvitationRoutes {
    /// Invites a person to a tenant. The link is mailed if the server sends mails. Otherwise only this response contains it.
    @Sendable
    func createInvitation(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        let now = now()
        var fields = try await JSONFields(request)
        let address = fields.address()
        let role = fields.role(isRequired: true)
        let expiresAt = fields.time("expires_at", after: now) ?? now.addingTimeInterval(Invitation.lifetime)
        if expiresAt > now.addingTimeInterval(Invitation.longestLifetime) {
            fields.refuse("expires_at", "It must be within 30 days. Invite the person again later.")
        }
        let asksForMail = fields.flag("send_mail")
        try fields.finish()
        guard let address, let role else { throw Problem(.invalid, "`email` and `role` are required.") }
        let owner = call.owner
        try await call.requireNoOperator(address: address.address.asciiLowercased, pool)
        guard mail != nil || asksForMail != true else { throw Problem.noMailSender }
        var mailing: Invitation.Mailing?
        if let mail, asksForMail != false {
            let frame = PageFrame(request, nil, requestID: call.record.current.requestID)
            mailing = .init(sender: mail, organization: try await organization(call.tenant) ?? call.slug, frame: frame)
        }
        let notice = try await notices.memberMail(of: call, pool)
        let issued = try await Invitation.issue(
            to: address, as: role, until: expiresAt, action: "createInvitation", by: call.origin, publicURL: publicURL, keyring: keyring,
            in: call.database(pool), at: now, mailing: mailing
        ) { db in
            try await call.requireNoOwner(in: db)
            let scopes = try await role.scopes(of: owner, in: db)
            try call.requireGrant(scopes)
            let mail = try await notice?(
                .invited(address.address, role: role.title(of: owner, in: db)), BuiltInRole.owner.isIncluded(in: scopes))
            _ = try await db.run(try await notices.insertions(mail, of: owner, in: db, at: now))
        }
        return try .resource(
            InvitationReply(issued, at: now), updatedAt: now, status: .created)
    }
}

extension JSONFields {
    /// Reads the address of a person to invite.
    mutating func address() -> MailAddress? {
        let given = text("email", 3...254, isRequired: true) {
            MailAddress($0) == nil ? "It must be an email address without quotation marks, such as ada@example.com." : nil
        }
        return given.flatMap { MailAddress($0) }
    }
}
