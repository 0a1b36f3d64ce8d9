import Access
import Encoding
import Foundation
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Users
import Web

extension UserRoutes {
    /// Adds an identity to a user, on the word of the tenant: for example after an import, or after support has checked the person.
    ///
    /// The person who signs in with it then is this user. The team must be one of the tenant's connections or of the shared connection.
    /// Until that sign-in, Apple's notifications and other tenants do not see the identity. An operator who is a person adds none:
    /// with an Apple Account of its own, the operator could sign in as the user after the end of the support access.
    @Sendable
    func addIdentity(_ request: Request, _ call: TenantContext) async throws -> Response {
        // Before the scopes, because a support access would not help.
        guard !call.isOperatorAtTenant
        else {
            throw Problem(
                .insufficientScope,
                """
                An operator adds no identity to a user, not even during a support access, because the identity would outlast it. Ask the \
                tenant to add it, or use an API key.
                """)
        }
        try call.require(.usersWrite)
        try call.requireRecentSignIn(at: now())
        let user = try call.id("user", of: "user", as: User.self)
        var fields = try await JSONFields(request)
        let subject = fields.text("subject", 1...255, isRequired: true) { text in
            text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? nil : "It is Apple's `sub`, of visible ASCII characters without spaces."
        }
        let team = fields.text("team_id") {
            $0.wholeASCIIMatch(of: /[A-Z0-9]{10}/) == nil ? "A Team ID has ten capital letters and digits." : nil
        }
        let named = fields.text("connection_id")
        if (team == nil) == (named == nil) { fields.refuse("team_id", "Send either `team_id` or `connection_id`.") }
        try fields.finish()
        guard let subject else { throw Problem(.invalid, "`subject` is required.") }

        let (now, tenant, origin) = (now(), call.tenant, call.origin)
        let (database, logins) = (call.database(pool), Session.logins(of: user, tenant))
        let serving = try await endpoints.directory.find(tenant)?.connection
        let (known, own) = try await database.run(User.find(user, of: tenant), Connection.own(of: tenant))
        guard !known.isEmpty else { throw Problem.notFound("user") }
        let clients = try own.map(Connection.Client.init) + (serving.map { [Connection.Client($0)] } ?? [])
        let client =
            if let named { clients.first { $0.id.description.utf8.elementsEqual(named.utf8) } } else {
                clients.first { $0.team.utf8.elementsEqual((team ?? "").utf8) }
            }
        guard let client else {
            throw Problem.invalid(
                .init(
                    named == nil ? "team_id" : "connection_id",
                    "It must be of a connection of the tenant, or of the shared connection while that serves the tenant."))
        }
        let added = AddedIdentity(team: client.team, subject: subject, client: client.servicesID)
        let outcome = try await database.transaction { db in
            try await added.add(
                to: user, tenant, logins: logins, keyring: keyring, by: origin, action: "addIdentity", at: now, in: db
            ) { known in
                guard known.deleted_at == nil else {
                    throw Problem(.conflict, "The user's Apple Account was deleted. The user gets no other identity.")
                }
            }
        }
        let id = try outcome.added(isNew: true)
        let identities = try await database.run(Identity.all(of: user, tenant, logins: logins)).map(IdentityReply.init)
        guard let reply = identities.first(where: { $0.id == id }) else { throw Problem.notFound("user") }
        return try .json(reply, status: .created, headers: [.location: "\(request.uri.path)/\(reply.id)"])
    }
}

extension AddedIdentity.Outcome {
    /// The ID of the identity.
    /// - Parameter isNew: whether the user must not have had it before.
    /// - Throws: `Problem` if the user did not get it.
    func added(isNew: Bool = false) throws -> ID<Identity> {
        switch self {
        case .added(let id): return id
        case .known(let id) where !isNew: return id
        case .known: throw Problem(.alreadyExists, "The user has this identity already. Nothing changed.")
        case .ofAnother:
            throw Problem(.alreadyExists, "Another user has this identity. Remove it there, or delete that user, first.")
        case .ended:
            throw Problem(.conflict, "The consent for this Apple Account has ended at Apple since the sign-in. Start again.")
        case .tooMany: throw Problem(.conflict, "A user can have at most \(Identity.limit) identities. Remove one first.")
        case .noUser: throw Problem.notFound("user")
        }
    }
}
