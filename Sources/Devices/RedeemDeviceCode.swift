package import Access
package import ClientKeys
package import Encoding
package import Foundation
package import Hummingbird
package import Postgres
package import Sessions
import SignIn
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
                return try await redeem(form["device_code"], .oauth, by: application, of: tenant.tenant, at: now) { login, redemption in
                    try await tokens.issueTokens(
                        for: login, asked: form, boundTo: key, by: application, of: tenant.tenant, after: [redemption], at: now)
                }
            }, headers: [.pragma: "no-cache"])
    }

    /// Redeems a device code of WorkOS's interface.
    /// - Parameter issue: starts the session of the login. The statement belongs to the same transaction.
    package func redeemForAuthKit<Reply: Sendable>(
        _ code: String, by application: Application, of tenant: Tenant, at now: Date,
        issue: (CompletedLogin, _ redemption: SQL) async throws -> Reply
    ) async throws -> Reply {
        try await redeem(code, .authKit, by: application, of: tenant, at: now, issue: issue)
    }

    /// Records a poll. If the user has approved, it redeems the device code once.
    /// - Throws: `OAuthError`, with the codes of RFC 8628, section 3.5, until the user has approved.
    private func redeem<Reply: Sendable>(
        _ code: String?, _ interface: DeviceCode.Interface, by application: Application, of tenant: Tenant, at now: Date,
        issue: (CompletedLogin, _ redemption: SQL) async throws -> Reply
    ) async throws -> Reply {
        guard application.allowsDeviceGrant else { throw Self.notAllowed }
        guard let code else { throw OAuthError(.invalidRequest, "device_code is missing.") }
        guard let code = DeviceCode(code, interface, of: application.id, tenant.id, with: endpoints.keyring)
        else { throw OAuthError(.invalidGrant, "The device code was not issued to this application.") }
        guard polls.take(code.authorization.uuid, at: .now).isGranted else { throw Self.tooFast }
        let row = try await OwnerDatabase(pool, tenant: tenant.id).run(
            DeviceAuthorization.poll(code.authorization, of: tenant.id, at: now)
        ).first { $0 }
        // The code is genuine, so its row was deleted.
        guard let row else { throw Self.expired }
        let authorization = try DeviceAuthorization(row)
        guard now < authorization.expiresAt else { throw Self.expired }
        guard try !row.get("is_early") else { throw Self.tooFast }

        let credential = "device code"
        switch authorization.state {
        case .pending: throw OAuthError(.authorizationPending, "The user has not decided yet. Retry after the interval.")
        case .refused: throw OAuthError(.accessDenied, "The user refused this device.")
        case .redeemed:
            guard let login = authorization.login else { throw Self.expired }
            throw try await tokens.replay(of: login, with: credential, by: application, of: tenant, at: now)
        case .approved:
            // The seal proves the approval, its scope and its user. The row alone proves nothing.
            let sealed = SealedLogin(
                opening: try row.get("approved_login"), for: authorization.id.description, of: application.id, tenant.id,
                at: endpoints.approvalPage(of: tenant), with: endpoints.keyring)
            guard let login = sealed?.login.on(authorization.device) else { throw Self.expired }
            return try await tokens.startingOnce(login.login, with: credential, by: application, of: tenant, at: now) {
                try await issue(login, DeviceAuthorization.redeem(authorization.id, of: tenant.id))
            }
        }
    }

    private static let expired = OAuthError(.expiredToken, "The device code has expired. Start again with a new one.")
    private static let tooFast = OAuthError(
        .slowDown, "The device polls too often. Wait \(DeviceAuthorization.interval) seconds longer from now on.")
}
