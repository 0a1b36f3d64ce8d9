import Foundation
import HTTPTypes
import Hummingbird

extension DemoRoutes {
    /// `GET /login/{slug}`: remembers a new sign-in and sends the browser to the tenant's authorization endpoint.
    @Sendable
    func startLogin(_ request: Request, context: BasicRequestContext) async throws -> Response {
        let tenant = try tenant(context)
        let provider = provider(of: tenant)
        let metadata = try await provider.discover()

        let attempt = LoginAttempt(slug: tenant.slug, startedAt: .now)
        let session = await sessions.begin(attempt, in: sessionID(request), at: attempt.startedAt)

        var response = Response.redirect(to: provider.authorizationURL(for: attempt, by: metadata))
        response.setCookie(cookie(naming: session))
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
