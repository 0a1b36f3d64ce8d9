import Access
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Users
import Web

/// All identities of a user. There are few.
private struct OwnIdentities: Encodable {
    let object = "list"
    let data: [IdentityReply]
}

extension UserRoutes {
    /// Lists the identities of the user of an access token, oldest first.
    @Sendable
    func listOwnIdentities(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) {
            let now = now()
            let person = try await person(of: request, context, at: now)
            let tenant = person.tenant.tenant
            let identities = try await tokens.spent.refuse(person.use, by: person.sender, at: now) {
                let database = OwnerDatabase(pool, tenant: tenant.id)
                try await requireActive(person, isRecent: false, in: database, at: now)
                // Only for an active session, because each proof takes a row.
                try await tokens.use(person.proof, of: tenant, at: now)
                return try await database.run(
                    Identity.all(of: person.user, tenant.id, logins: Session.logins(of: person.user, tenant.id))
                ).map(IdentityReply.init)
            }
            return try .json(OwnIdentities(data: identities))
        }
    }
}
