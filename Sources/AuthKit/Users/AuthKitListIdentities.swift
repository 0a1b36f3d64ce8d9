import Access
import Hummingbird
import Postgres
import Sessions
import Users
import Web

private struct Reply: Encodable {
    /// Apple's identifier of the user.
    let idp_id: String
    let type = "OAuth"
    let provider = "AppleOAuth"
}

extension AuthKitUserRoutes {
    /// Lists the user's identities at Apple. WorkOS's response is an array and not a list object.
    @Sendable
    func authKitListIdentities(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersRead)
        let id = try call.id("user", of: "user", as: User.self)
        let (found, identities) = try await call.database(pool).run(
            User.find(id, of: call.tenant), Identity.all(of: id, call.tenant, logins: Session.logins(of: id, call.tenant)))
        guard !found.isEmpty else { throw Problem.notFound("user") }
        return try .json(identities.map { Reply(idp_id: try $0.get("apple_sub")) })
    }
}
