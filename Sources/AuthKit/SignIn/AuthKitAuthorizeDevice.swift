import Access
import Devices
import Encoding
import Foundation
import Hummingbird
import Sessions
import SignIn
import Signing
import Tenancy
import Web

extension AuthKitSignInRoutes {
    /// Starts the sign-in of a device. WorkOS's library sends the client ID alone, and the API key in the header.
    @Sendable
    func authKitAuthorizeDevice(_ request: Request, _ context: WebContext) async throws -> Response {
        let sent = try await AuthenticationRequest(request, upTo: context.maxUploadSize)
        let (tenant, application) = try await endpoints.reportingOutage(context) {
            try await client(sent, request, context, takesHeader: true, at: endpoints.now())
        }
        return try .json(
            try await devices.startForAuthKit(by: application, of: tenant, request, context), headers: [.pragma: "no-cache"])
    }

    /// Redeems a device code, with the errors of RFC 8628, section 3.5. WorkOS's libraries send an `Idempotency-Key` and repeat a request
    /// whose response was lost.
    func redeemDevice(
        _ sent: AuthenticationRequest, idempotencyKey: String?, _ application: Application, _ tenant: Tenant, _ context: WebContext,
        at now: Date
    ) async throws -> AuthenticationReply {
        let code = try sent.require("device_code")
        let repeated = idempotencyKey.flatMap { key in
            RepeatedRequest(idempotencyKey: key, code: code, lifetime: DeviceGrant.repeatableSeconds, at: now)
        }
        let (session, key) = try await devices.redeemForAuthKit(
            code, repeated: repeated, by: application, of: tenant, context, at: now
        ) { login, redemption in
            let (_, key) = try await tokens.startSession(
                for: login, of: application, tenant, signing: .RS256, after: redemption, at: now)
            return (StartedSession(login, at: now), key)
        } again: { session in
            (session, try await signingKeys.current(.RS256, of: tenant.id))
        }
        return try await reply(
            to: session.user, session.id, generation: 0, authenticatedAt: session.authenticatedAt, startedAt: session.startedAt,
            refreshToken: tokens.firstRefreshToken(of: session.id, tenant), application, tenant, key)
    }
}
