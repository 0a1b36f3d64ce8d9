import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Sealing
import Sessions
import SignIn
import Signing
import Tenancy
import Users
import Web

/// The response to an authentication. The client seals the session itself.
struct AuthenticationReply: Encodable {
    let user: WorkOSUser
    let organization_id: String
    let access_token, refresh_token: String
    let authentication_method = "AppleOAuth"
    @Nullable private(set) var impersonator: String?
    @Nullable private(set) var sealed_session: String?

    init(_ user: WorkOSUser, of tenant: ID<Tenant>, accessToken: String, refreshToken: String) {
        (self.user, organization_id) = (user, WorkOSID.text(tenant))
        (access_token, refresh_token) = (accessToken, refreshToken)
        _impersonator = Nullable(wrappedValue: nil)
        _sealed_session = Nullable(wrappedValue: nil)
    }
}

extension AuthKitSignInRoutes {
    /// Redeems a code or a refresh token. The session, the usage event and the refresh token are Espalier's own.
    @Sendable
    func authKitAuthenticate(_ request: Request, _ context: WebContext) async throws -> Response {
        let sent = try await AuthenticationRequest(request, upTo: context.maxUploadSize)
        let now = endpoints.now()
        let isDevice = sent["grant_type"]?.isSame(as: GrantType.deviceCode) == true
        let (found, application) = try await endpoints.reportingOutage(context) {
            try await client(sent, request, context, takesHeader: isDevice, at: now)
        }
        let tenant = found.tenant
        guard sent["invitation_token"] == nil
        else { throw OAuthError(.invalidRequest, "Invitations are not offered. Send the request without invitation_token.") }
        switch sent["grant_type"] {
        case "authorization_code":
            let key = request.headers[.idempotencyKey]
            return try await counted(.token, context) { try await redeem(sent, idempotencyKey: key, application, tenant, at: now) }
        case "refresh_token":
            return try await counted(.refresh, context) { try await refresh(sent, application, tenant, at: now) }
        case GrantType.deviceCode:
            let key = request.headers[.idempotencyKey]
            return try await counted(.poll, context) {
                try await redeemDevice(sent, idempotencyKey: key, application, tenant, context, at: now)
            }
        case nil: throw OAuthError(.invalidRequest, "grant_type is missing.")
        default:
            throw OAuthError(
                .unsupportedGrantType, "grant_type must be authorization_code, refresh_token or \(GrantType.deviceCode).")
        }
    }

    private func redeem(
        _ sent: AuthenticationRequest, idempotencyKey: String?, _ application: Application, _ tenant: Tenant, at now: Date
    ) async throws -> AuthenticationReply {
        let code = try sent.require("code")
        let repeated = idempotencyKey.flatMap { key in
            RepeatedRequest(idempotencyKey: key, code: code, lifetime: AuthorizationCode.lifetime, at: now)
        }
        let database = OwnerDatabase(pool, tenant: tenant.id)
        let (session, key) = try await tokens.redeem(
            code, redirectURI: nil, verifier: sent["code_verifier"], by: application, of: tenant, at: now
        ) { login in
            do {
                let (_, key) = try await tokens.startSession(
                    for: login, of: application, tenant, signing: .RS256, after: repeated.map { [$0.insert(of: tenant.id)] } ?? [], at: now)
                return (StartedSession(login, at: now), key)
            } catch let error as DatabaseError where error.constraint == "session_pkey" {
                // The session exists already. If this request started it, only its response was lost.
                guard let repeated,
                    let session = try await StartedSession.find(
                        login, provenBy: repeated.find(of: tenant.id), application, tenant, in: database, at: now)
                else { throw error }
                return (session, try await signingKeys.current(.RS256, of: tenant.id))
            }
        }
        return try await reply(
            to: session.user, session.id, generation: 0, authenticatedAt: session.authenticatedAt, startedAt: session.startedAt,
            refreshToken: tokens.firstRefreshToken(of: session.id, tenant), application, tenant, key)
    }

    private func refresh(_ sent: AuthenticationRequest, _ application: Application, _ tenant: Tenant, at now: Date) async throws
        -> AuthenticationReply
    {
        let presented = try sent.require("refresh_token")
        // This comes before the token is used up.
        guard sent["organization_id"].map({ WorkOSID.tenant($0) == tenant.id }) ?? true
        else { throw OAuthError(.invalidGrant, "organization_id is not the organization of this client_id.") }
        // The response has the user's name and address. A session of OpenID Connect may have fewer scopes.
        let required = application.isThirdParty ? ["profile", "email"] : []
        let renewed = try await tokens.renew(presented, scope: required, by: application, of: tenant, signing: .RS256, at: now)
        return try await reply(
            to: renewed.session.user, renewed.id, generation: renewed.session.generation,
            authenticatedAt: renewed.session.authenticatedAt, startedAt: renewed.session.refreshedAt, refreshToken: renewed.refreshToken,
            application, tenant, renewed.key)
    }

    func reply(
        to user: ID<User>, _ session: ID<Session>, generation: Int, authenticatedAt: Date?, startedAt: Date, refreshToken: String,
        _ application: Application, _ tenant: Tenant, _ key: SigningKey
    ) async throws -> AuthenticationReply {
        guard let found = try await WorkOSUser.find(user, in: OwnerDatabase(pool, tenant: tenant.id), of: tenant.id)
        else { throw OAuthError(.invalidGrant, "The user no longer exists.") }
        let token = SessionToken(
            of: user, session, generation: generation, authenticatedAt: authenticatedAt, application, tenant,
            publicURL: endpoints.publicURL, keyring: endpoints.keyring, at: startedAt)
        // The page about an application of a third party does not name what the tenant stored.
        return AuthenticationReply(
            application.isThirdParty ? found.withoutDetails : found, of: tenant.id, accessToken: try token.signed(by: key),
            refreshToken: refreshToken)
    }

    private func counted(_ step: Metrics.Step, _ context: WebContext, _ grant: () async throws -> AuthenticationReply) async throws
        -> Response
    {
        do {
            let reply = try await endpoints.reportingOutage(context, grant)
            metrics.count(step, "ok")
            return try .json(reply, headers: [.pragma: "no-cache"])
        } catch {
            metrics.count(step, (error as? OAuthError)?.code.rawValue ?? "unexpected")
            throw error
        }
    }
}

// MARK: The client

extension AuthKitSignInRoutes {
    /// The application that sends the request, authenticated. `client_secret` is an API key of its tenant with the scope
    /// `authenticate:write`, or a secret of the application. A public application needs neither.
    /// - Parameter takesHeader: whether a confidential application may send its API key in the header instead. WorkOS's library does so for a
    ///   device, and sends no `client_secret`.
    func client(
        _ sent: AuthenticationRequest, _ request: Request, _ context: WebContext, takesHeader: Bool, at now: Date
    ) async throws -> (TenantConfiguration, Application) {
        let refused = OAuthError(.invalidClient, "The client_id is unknown, or its client_secret is wrong or missing.")
        guard let id = WorkOSID.application(try sent.require("client_id")),
            let found = try await endpoints.find(application: id, context), found.tenant.status == .active,
            let application = found.applications[id]
        else { throw refused }
        context.record.note(tenant: found.tenant.slug)
        let inHeader = takesHeader && application.kind.isConfidential ? request.bearerToken : nil
        if let secret = sent["client_secret"] ?? inHeader, secret.begins(with: "esk_") {
            guard let key = try await callers.find(secret: secret, within: endpoints.limits, context.record, at: now),
                key.owner == found.tenant.id.uuid
            else { throw refused }
            guard application.authMethod != .privateKey
            else { throw OAuthError(.invalidClient, "The application authenticates by private_key_jwt, and this interface cannot use it.") }
            context.record.noteAuthenticated()
            lastUsed.note(key.id, owner: key.owner, at: now)
            guard key.scopes.contains(.authenticateWrite)
            else { throw OAuthError(.unauthorizedClient, "The API key lacks the scope \(APIKey.Scope.authenticateWrite.rawValue).") }
        } else {
            // The API key in the header is for other operations.
            var head = request.head
            head.headerFields[.authorization] = nil
            _ = try await endpoints.authenticate(
                Request(head: head, body: request.body), try sent.credentials(of: id.description), found, context)
        }
        guard application.kind != .machine
        else { throw OAuthError(.unauthorizedClient, "An application of kind machine does not support sign-in.") }
        return (found, application)
    }
}
