import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension InvitationRoutes {
    /// Lists the invitations of a tenant or of the platform, newest first, including accepted and expired ones.
    func listInvitations(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.membersRead)
        let page = try Query(request, "limit", "after", "before").page
        let now = now()
        let invitations = try await call.database(pool).run(Invitation.page(page, of: call.owner)).map(Invitation.init)
        return try .json(Page(invitations, of: page, id: \.id.uuid) { InvitationReply($0, at: now) })
    }
}
