import Foundation
import Hummingbird

extension DemoRoutes {
    /// `POST /session/refresh`: exchanges the refresh token for new tokens. If Espalier rejects it, the session at Espalier has ended,
    /// and the demo ends its own session.
    @Sendable
    func refreshTokens(_ request: Request, context: BasicRequestContext) async throws -> Response {
        guard let session = sessionID(request), var login = await sessions.login(in: session, at: .now),
            let tenant = tenants.first(where: { $0.slug == login.slug }), let refreshToken = login.tokens.refreshToken
        else { return .redirect(to: "/") }

        let provider = provider(of: tenant)
        let metadata = try await provider.discover()
        var tokens: TokenSet
        do {
            tokens = try await provider.refresh(refreshToken, by: metadata)
        } catch Refusal.refused(code: "invalid_grant") {
            await sessions.forget(session)
            throw Refusal.refused(code: "invalid_grant")
        }
        if tokens.idToken != nil {
            login.idToken = try await IDToken(
                verifying: tokens.idToken, keys: provider.keys(by: metadata), issuer: tenant.issuer, clientID: tenant.clientID,
                nonce: nil, subject: login.idToken.subject, at: .now)
        }

        // A value that is missing in the response does not change (RFC 6749, section 6).
        tokens.idToken = tokens.idToken ?? login.tokens.idToken
        if tokens.refreshToken != nil {
            login.usedRefreshToken = DecodedToken.abridged(refreshToken)
        } else {
            tokens.refreshToken = refreshToken
        }
        login.tokens = tokens
        login.refreshes += 1
        await sessions.update(login, in: session)
        return .redirect(to: "/session")
    }
}
