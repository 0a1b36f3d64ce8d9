import Access
import Foundation
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Users
import Web

/// A user with its identities and active sessions.
private struct Reply: Encodable {
    let user: UserReply
    let identities: [IdentityReply]
    let sessions: [SessionReply]

    private enum Key: CodingKey { case identities, sessions }

    func encode(to encoder: any Encoder) throws {
        try user.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(identities, forKey: .identities)
        try container.encode(sessions, forKey: .sessions)
    }
}

extension UserRoutes {
    @Sendable
    func getUser(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        let id = try call.id("user", of: "user", as: User.self)
        let now = now()
        let (found, identities, sessions) = try await call.database(pool).run(
            UserReply.find(id, of: call.tenant), Identity.all(of: id, call.tenant, logins: Session.logins(of: id, call.tenant)),
            SessionReply.active(of: id, call.tenant, at: now))
        guard let user = try found.first(UserReply.init) else { throw Problem.notFound("user") }
        let reply = Reply(
            user: user, identities: try identities.map(IdentityReply.init), sessions: try sessions.map { try SessionReply($0, at: now) })
        return try .resource(reply, updatedAt: user.updated_at)
    }
}
