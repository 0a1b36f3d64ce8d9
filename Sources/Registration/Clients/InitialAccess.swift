import Access
import Foundation
import Hummingbird
import Postgres
import Sealing
import Sessions
import Tenancy
import Web

/// Proof that the caller holds a usable initial access token of the tenant.
struct InitialAccess: Sendable {
    let token: InitialAccessToken
    let tenant: Tenant
    /// The token is the actor in the audit trail.
    let origin: AuditEvent.Origin

    fileprivate init(_ token: InitialAccessToken, _ tenant: Tenant, _ context: WebContext) {
        (self.token, self.tenant) = (token, tenant)
        let facts = context.record.current
        origin = .init(actor: token.id.description, address: facts.address, requestID: facts.requestID)
    }
}

extension RegistrationRoutes {
    /// Finds the initial access token of a request (RFC 7591, section 3.1).
    /// - Throws: `OAuthError` 401 without a usable token of this tenant; the errors of `KnownTokens`.
    func initialAccess(_ request: Request, _ tenant: Tenant, _ context: WebContext, at now: Date) async throws -> InitialAccess {
        guard let presented = request.bearerToken else { throw OAuthError.initialAccessTokenMissing }
        guard RegistrationToken.isWellFormed(presented, prefix: InitialAccessToken.prefix) else { throw OAuthError.badInitialAccessToken }
        let keyring = endpoints.keyring
        let digests = keyring.digests(Array(presented.utf8), purpose: InitialAccessToken.digestPurpose)
        let database = OwnerDatabase(pool, tenant: tenant.id).repeatable
        let found = try await knownTokens.lookUp(
            Data(digests[0]).base64EncodedString(), within: endpoints.limits, context.record
        ) {
            try await database.run(InitialAccessToken.find(digests: digests, of: tenant.id)).first { row -> InitialAccessToken? in
                let token = try InitialAccessToken(row)
                let digest: [UInt8] = try row.get("digest")
                let binding = keyring.binding(
                    of: digest, try row.get("bound_digest"), to: InitialAccessToken.context(token.id, of: tenant.id))
                return keyring.authenticates(digests, digest: digest, binding, at: now) && token.isUsable(at: now) ? token : nil
            } ?? nil
        }
        guard let token = found else { throw OAuthError.badInitialAccessToken }
        return InitialAccess(token, tenant, context)
    }
}
