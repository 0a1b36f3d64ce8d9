import Access
import Foundation
import Hummingbird
import Postgres
import Sealing
import Sessions
import Tenancy
import Web

/// Proof that the caller holds the registration access token of the client in the path.
struct RegistrationAccess: Sendable {
    let registration: ClientRegistration
    let application: Application
    let tenant: Tenant
    /// The presented token. A response repeats it, because RFC 7592, section 3, requires it in each one.
    let token: String
    /// The actor in the audit trail is the initial access token of the client, because a deleted application cannot be an actor.
    let origin: AuditEvent.Origin

    fileprivate init(
        _ registration: ClientRegistration, _ application: Application, _ tenant: Tenant, _ token: String, _ context: WebContext
    ) {
        (self.registration, self.application, self.tenant, self.token) = (registration, application, tenant, token)
        let facts = context.record.current
        origin = .init(actor: registration.initialAccessToken.description, address: facts.address, requestID: facts.requestID)
    }
}

extension RegistrationRoutes {
    /// Finds the client in the path, with its registration access token (RFC 7592, section 2).
    /// - Throws: `OAuthError` 401 without the token of this client, also for a client that does not exist; the errors of
    ///   `KnownTokens`.
    func registrationAccess(_ request: Request, _ tenant: Tenant, _ context: WebContext, at now: Date) async throws -> RegistrationAccess {
        guard let presented = request.bearerToken else { throw OAuthError.registrationAccessTokenMissing }
        guard RegistrationToken.isWellFormed(presented, prefix: ClientRegistration.tokenPrefix),
            let text = context.parameters.get("client_id"), let id = ID<Application>(text)
        else { throw OAuthError.badRegistrationAccessToken }
        let keyring = endpoints.keyring
        let digests = keyring.digests(Array(presented.utf8), purpose: ClientRegistration.digestPurpose)
        let database = OwnerDatabase(pool, tenant: tenant.id).repeatable
        let found = try await knownTokens.lookUp(
            Data(digests[0]).base64EncodedString(), within: endpoints.limits, context.record
        ) { () async throws -> RegistrationAccess? in
            // Both are read from the database, because the cache of this process may not have a new application yet.
            let (registrations, applications) = try await database.run(
                ClientRegistration.find(id, of: tenant.id), Application.find(id, of: tenant.id))
            guard let application = try applications.first(Application.init), !registrations.isEmpty else { return nil }
            let row = registrations[0]
            let digest: [UInt8] = try row.get("digest")
            let binding = keyring.binding(of: digest, try row.get("bound_digest"), to: ClientRegistration.context(id, of: tenant.id))
            guard keyring.authenticates(digests, digest: digest, binding, at: now) else { return nil }
            return RegistrationAccess(try ClientRegistration(row), application, tenant, presented, context)
        }
        guard let found else { throw OAuthError.badRegistrationAccessToken }
        context.record.noteAuthenticated()
        return found
    }
}
