import Access
import Foundation
import Hummingbird
import Postgres
import Sealing
import Sessions
import Tenancy
import Web

extension RegistrationRoutes {
    /// Registers an application with the metadata that a client sends (RFC 7591, section 3).
    @Sendable
    func registerClient(_ request: Request, _ context: WebContext) async throws -> Response {
        try await endpoints.reportingOutage(context) {
            guard let tenant = try await endpoints.tenant(context)?.tenant else { throw Problem.notFound("tenant") }
            let now = endpoints.now()
            let access = try await initialAccess(request, tenant, context, at: now)
            let metadata = try await ClientMetadata(request, allowsPrivate: allowsPrivate)
            let application = try metadata.newApplication(ID(at: now), by: access.token, at: now)

            var random = SystemRandomNumberGenerator()
            let token = ClientRegistration.makeToken(using: &random)
            let registration = ClientRegistration(
                application: application.id, initialAccessToken: access.token.id, details: metadata.storedDetails, createdAt: now,
                updatedAt: now)
            let secret = try await refusingProblems {
                try await applications.register(
                    application, as: "registerClient", of: tenant.id, by: access.origin,
                    admit: { db in
                        // The last registration of a token is for one of two requests at the same time.
                        guard try await db.run(InitialAccessToken.use(access.token.id, of: tenant.id, at: now)).affected == 1
                        else { throw OAuthError.badInitialAccessToken }
                    },
                    with: [try registration.insert(token, tenant: tenant.id, keyring: endpoints.keyring)], at: now)
            }
            // The client may use its ID in its next request.
            endpoints.directory.forget(tenant.id.uuid)
            return try .json(
                RegisteredClientReply(
                    application, registration.details, token: token.reveal(), secret: secret, issuer: endpoints.issuer(tenant)),
                status: .created)
        }
    }

    /// Runs a change of an application, and gives its refusals the form of an OAuth endpoint.
    func refusingProblems<R>(_ change: () async throws -> R) async throws -> R {
        do { return try await change() } catch let problem as Problem where problem.code.status.kind == .clientError {
            // Another request deleted the application since the check of the token.
            if problem.code == .notFound { throw OAuthError.badRegistrationAccessToken }
            guard problem.fields.isEmpty else { throw OAuthError(metadata: problem.fields) }
            throw OAuthError(.invalidRequest, problem.detail)
        }
    }
}
