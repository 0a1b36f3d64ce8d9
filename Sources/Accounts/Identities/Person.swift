import Access
import ClientKeys
import Foundation
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Users
import Web

extension UserRoutes {
    /// The person of an access token, who manages the own identities. The token is accepted only in the header, because a browser that is
    /// lured here sends no such header.
    struct Person {
        let user: ID<User>
        let session: ID<Session>
        let tenant: TenantConfiguration
        let application: Application
        let proof: DPoPProof?
        let origin: AuditEvent.Origin
        private let issuedAt: Int

        fileprivate init(
            _ token: AccessToken, _ proof: DPoPProof?, _ tenant: TenantConfiguration, _ application: Application, _ record: RequestRecord
        ) {
            (user, session, issuedAt) = (token.sub, token.session, token.iat)
            (self.proof, self.tenant, self.application) = (proof, tenant, application)
            let facts = record.current
            origin = .init(actor: application.id.description, address: facts.address, requestID: facts.requestID)
        }

        var use: SpentCredentials.Use { .act(session, issuedAt: issuedAt) }
        var sender: SpentCredentials.Sender { .init(application, tenant.tenant) }
    }

    /// How recently Apple must have authenticated the person who changes identities, in seconds: 10 minutes. A stolen session must not give
    /// its thief a lasting way in.
    static let recency: TimeInterval = 600

    /// - Throws: `OAuthError` without a valid access token, or with one of an application of a third party.
    func person(of request: Request, _ context: WebContext, at now: Date) async throws -> Person {
        guard let tenant = try await endpoints.tenant(context) else { throw Problem.notFound("tenant") }
        guard let (presented, proof) = try endpoints.accessToken(in: request, context) else { throw OAuthError.accessTokenMissing }
        let (token, application) = try await tokens.bearerToken(presented, proof, tenant, at: now)
        try application.requireOwn(proof)
        return Person(token, proof, tenant, application, context.record)
    }

    /// Checks that the person's session is active.
    /// - Parameter isRecent: whether Apple must have authenticated the person recently.
    /// - Throws: `OAuthError`.
    func requireActive(_ person: Person, isRecent: Bool, in db: some StatementRunner, at now: Date) async throws {
        let active = Session.authentication(of: person.session, person.tenant.tenant.id, person.application, at: now)
        guard let found = try await db.run(active).first({ (try User($0).id, try $0.get("authenticated_at", as: Date?.self)) }),
            found.0 == person.user
        else { throw OAuthError.badAccessToken }
        guard !isRecent || found.1.map({ $0 > now - Self.recency }) ?? false else {
            var error = OAuthError(
                .insufficientUserAuthentication,
                "Apple authenticated the user longer than 10 minutes ago. Sign the user in again, with max_age=600.",
                challenge: person.proof == nil ? "Bearer" : "DPoP")
            error.maxAge = Int(Self.recency)
            throw error
        }
    }
}
