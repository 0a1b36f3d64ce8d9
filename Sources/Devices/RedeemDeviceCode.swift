package import Access
import Accounts
package import ClientKeys
package import Encoding
package import Foundation
package import Hummingbird
package import Postgres
package import Sessions
package import SignIn
package import Tenancy
package import Web

extension DeviceGrant {
    /// The device grant of the token endpoint (RFC 8628, section 3.4).
    @Sendable
    package func redeemDeviceCode(
        _ request: Request, _ form: Form, _ key: KeyThumbprint?, _ tenant: TenantConfiguration, _ context: WebContext
    ) async throws -> Response {
        try .json(
            try await counted(.poll, context) {
                let application = try await endpoints.authenticate(request, form, tenant, context)
                let now = endpoints.now()
                return try await redeem(form["device_code"], .oauth, by: application, of: tenant.tenant, context, at: now) {
                    login, redemption in
                    try await tokens.issueTokens(
                        for: login, asked: form, boundTo: key, by: application, of: tenant.tenant, after: [redemption], at: now)
                } again: { login, isEarly in
                    // A device whose request timed out polls again (RFC 8628, section 3.5), and waits for the interval.
                    guard !isEarly else { return nil }
                    return try await tokens.issueTokensAgain(
                        for: login, asked: form, boundTo: key, by: application, of: tenant.tenant, at: now)
                }
            }, headers: [.pragma: "no-cache"])
    }

    /// Redeems a device code of WorkOS's interface.
    /// - Parameters:
    ///   - repeated: the request, if it has an `Idempotency-Key`.
    ///   - issue: starts the session of the login. The statements belong to the same transaction.
    ///   - again: gives the session that the same request has started before.
    package func redeemForAuthKit<Reply: Sendable>(
        _ code: String, repeated: RepeatedRequest?, by application: Application, of tenant: Tenant, _ context: WebContext, at now: Date,
        issue: (CompletedLogin, _ redemption: [SQL]) async throws -> Reply, again: (StartedSession) async throws -> Reply
    ) async throws -> Reply {
        try await redeem(code, .authKit, by: application, of: tenant, context, at: now) { login, redemption in
            try await issue(login, [redemption] + (repeated.map { [$0.insert(of: tenant.id)] } ?? []))
        } again: { login, _ in
            guard let repeated,
                let session = try await StartedSession.find(
                    login, provenBy: repeated.find(of: tenant.id), application, tenant, in: OwnerDatabase(pool, tenant: tenant.id), at: now)
            else { return nil }
            return try await again(session)
        }
    }

    /// The lifetime of a code and the longest time that a device waits. A request may be repeated for so long.
    package static let repeatableSeconds = DeviceAuthorization.lifetime

    /// Records a poll. If the user has approved, it redeems the device code once.
    /// - Parameter again: the reply to a request whose first response was lost. Nil if the request is not such a repetition.
    /// - Throws: `OAuthError`, with the codes of RFC 8628, section 3.5, until the user has approved.
    private func redeem<Reply: Sendable>(
        _ code: String?, _ interface: DeviceCode.Interface, by application: Application, of tenant: Tenant, _ context: WebContext,
        at now: Date, issue: (CompletedLogin, _ redemption: SQL) async throws -> Reply,
        again: (CompletedLogin, _ isEarly: Bool) async throws -> Reply?
    ) async throws -> Reply {
        guard application.allowsDeviceGrant else { throw Self.notAllowed }
        guard let code else { throw OAuthError(.invalidRequest, "device_code is missing.") }
        guard let code = DeviceCode(code, interface, of: application.id, tenant.id, with: endpoints.keyring)
        else { throw OAuthError(.invalidGrant, "The device code was not issued to this application.") }
        // An old code costs no statement.
        guard !code.isExpired(at: now) else { throw Self.expired }
        guard polls.take(code.authorization.uuid, at: .now).isGranted else { throw Self.tooFast }
        if !context.record.current.isAuthenticated {
            // Per application, so that polls of one application's codes do not stop the devices of another one in the same network.
            let network = "\(application.id) \(CallerNetwork.site(of: context.record.current.address))"
            guard pollsOfNetwork.take(network, at: .now).isGranted else { throw Self.tooFast }
        }
        let row = try await OwnerDatabase(pool, tenant: tenant.id).run(
            DeviceAuthorization.poll(code.authorization, of: tenant.id, at: now)
        ).first { $0 }
        // The code is genuine, so its row was deleted.
        guard let row else { throw Self.expired }
        let authorization = try DeviceAuthorization(row)
        guard now < authorization.expiresAt else { throw Self.expired }
        let (isEarly, credential) = (try row.get("is_early", as: Bool.self), "device code")
        // The seal proves the approval, its scope and its user. The row alone proves nothing.
        func approved() throws -> CompletedLogin {
            let approved = try row.get("approved_login", as: String.self)
            // The user may have approved at another address of the tenant than that of the device.
            let sealed = endpoints.approvalPages(of: tenant).lazy.compactMap { page in
                SealedLogin(
                    opening: approved, for: authorization.id.description, of: application.id, tenant.id, at: page,
                    with: endpoints.keyring)
            }.first
            guard let login = sealed?.login.on(authorization.device) else { throw Self.expired }
            return login
        }
        // This comes before the interval, because a client repeats a request with an `Idempotency-Key` at once.
        if authorization.state == .redeemed, let login = try? approved(), let reply = try await again(login, isEarly) { return reply }
        guard !isEarly else { throw Self.tooFast }

        switch authorization.state {
        case .pending: throw OAuthError(.authorizationPending, "The user has not decided yet. Retry after the interval.")
        case .refused: throw OAuthError(.accessDenied, "The user refused this device.")
        case .redeemed:
            guard let login = authorization.login else { throw Self.expired }
            throw try await tokens.replay(of: login, with: credential, by: application, of: tenant, at: now)
        case .approved:
            let login = try approved()
            // The tenant may have revoked the consent since the approval.
            if application.isThirdParty {
                let consent = Consent.covering(login.user, application.id, tenant.id, scope: login.scope, apis: login.apis)
                guard try await !OwnerDatabase(pool, tenant: tenant.id).run(consent).isEmpty
                else { throw OAuthError(.accessDenied, "The user no longer allows the application.") }
            }
            return try await tokens.startingOnce(login.login, with: credential, by: application, of: tenant, at: now) {
                do {
                    return try await issue(login, DeviceAuthorization.redeem(authorization.id, of: tenant.id))
                } catch let error as DatabaseError where error.constraint == "session_pkey" {
                    // An earlier poll was slower than the device's time limit, and has started the session since then.
                    guard let reply = try await again(login, false) else { throw error }
                    return reply
                }
            }
        }
    }

    private static let expired = OAuthError(.expiredToken, "The device code has expired. Start again with a new one.")
    private static let tooFast = OAuthError(
        .slowDown, "The device polls too often. Wait \(DeviceAuthorization.interval) seconds longer from now on.")
}
