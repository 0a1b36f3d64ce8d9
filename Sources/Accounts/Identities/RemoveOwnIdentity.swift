import Access
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Users
import Web

extension UserRoutes {
    /// Removes an identity of the user of an access token. It ends this session, too, as `removeIdentity` does.
    @Sendable
    func removeOwnIdentity(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) {
            let now = now()
            let person = try await person(of: request, context, at: now)
            guard let identity = context.parameters.get("identity").flatMap({ ID<Identity>($0) })
            else { throw Problem.notFound("identity") }
            let tenant = person.tenant.tenant
            let isRemoved = try await tokens.spent.refuse(person.use, by: person.sender, at: now) {
                // The proof is not used up, because the removal ends the token.
                try await remove(
                    identity, of: person.user, tenant.id, servedBy: person.tenant.connection, by: person.origin,
                    action: "removeOwnIdentity", at: now, in: OwnerDatabase(pool, tenant: tenant.id)
                ) { db in
                    // Read while the user's row is locked, because another request may be ending the session.
                    try await requireActive(person, isRecent: true, in: db, at: now)
                }
            }
            guard isRemoved else { throw Problem.notFound("identity") }
            return .noContent
        }
    }
}
