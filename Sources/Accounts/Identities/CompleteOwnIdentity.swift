import Access
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Users
import Web

extension UserRoutes {
    /// Adds the Apple Account that the person has confirmed on the page (`confirmIdentity`). The same request again adds nothing.
    @Sendable
    func completeOwnIdentity(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) {
            let now = now()
            let person = try await person(of: request, context, at: now)
            let tenant = person.tenant.tenant
            var fields = try await JSONFields(request)
            let result = fields.text("result", 1...Self.longestResult, isRequired: true)
            try fields.finish()
            let confirmed = result.flatMap { ConfirmedIdentity(opening: $0, for: person, with: endpoints.keyring, at: now) }
            let reply = try await tokens.spent.refuse(person.use, by: person.sender, at: now) {
                let database = OwnerDatabase(pool, tenant: tenant.id)
                // The result proves a recent sign-in.
                try await requireActive(person, isRecent: false, in: database, at: now)
                // Only for an active session, because each proof takes a row.
                try await tokens.use(person.proof, of: tenant, at: now)
                guard let confirmed else {
                    throw Problem.invalid(.init("result", "It is not a result of the last 10 minutes for this session. Start again."))
                }
                let logins = Session.logins(of: person.user, tenant.id)
                let outcome = try await database.transaction { db in
                    try await confirmed.identity.add(
                        to: person.user, tenant.id, logins: logins, keyring: keyring, by: person.origin, action: "completeOwnIdentity",
                        at: now, in: db
                    ) { _ in
                        // Read while the user's row is locked, because another request may be ending the session.
                        try await requireActive(person, isRecent: false, in: db, at: now)
                    }
                }
                let id = try outcome.added()
                return try await database.run(Identity.all(of: person.user, tenant.id, logins: logins)).map(IdentityReply.init)
                    .first { $0.id == id }
            }
            guard let reply else { throw Problem.notFound("identity") }
            return try .json(reply, status: .created)
        }
    }

    /// In characters. A result takes about 1000.
    private static let longestResult = 4096
}
