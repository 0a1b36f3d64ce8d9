import Foundation
import HTTPTypes
import Hummingbird

extension DemoRoutes {
    /// `GET /callback/{slug}`: checks that the response belongs to a sign-in started in this browser, redeems the code, and
    /// redirects to another address. So a reload does not redeem the code again.
    @Sendable
    func finishLogin(_ request: Request, context: BasicRequestContext) async throws -> Response {
        guard let tenant = try? tenant(context) else { throw Refusal.unknownTenant }
        let answer = request.uri.queryParameters

        guard let session = sessionID(request), let state = answer["state"],
            let attempt = await sessions.takeAttempt(state: String(state), from: session, at: .now), attempt.slug == tenant.slug
        else { throw Refusal.unknownLogin }
        guard let issuer = answer["iss"], tenant.issuer.isSame(as: issuer) else { throw Refusal.otherIssuer }
        if let error = answer["error"] {
            throw error == "access_denied" ? Refusal.cancelled : Refusal.refused(code: String(error))
        }
        guard let code = answer["code"] else { throw Refusal.unexpectedAnswer(from: tenant.issuer) }

        let provider = provider(of: tenant)
        let metadata = try await provider.discover()
        let tokens = try await provider.redeem(String(code), for: attempt, by: metadata)
        let idToken = try await IDToken(
            verifying: tokens.idToken, keys: provider.keys(by: metadata), issuer: tenant.issuer, clientID: tenant.clientID,
            nonce: attempt.nonce, subject: nil, at: .now)
        let userInfo = try await provider.userInfo(tokens.accessToken, subject: idToken.subject, by: metadata)

        let login = Login(slug: tenant.slug, tokens: tokens, idToken: idToken, userInfo: userInfo)
        let signedIn = await sessions.signIn(login, movingFrom: session, at: .now)
        var response = Response.redirect(to: "/session")
        response.setCookie(cookie(naming: signedIn))
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
