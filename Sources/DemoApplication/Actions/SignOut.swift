import Foundation
import Hummingbird

extension DemoRoutes {
    /// `POST /session/sign-out`: forgets the session and redirects the browser to Espalier, which ends its session and redirects
    /// back. Apple is not notified, because signing out of an application does not end the consent.
    @Sendable
    func signOut(_ request: Request, context: BasicRequestContext) async throws -> Response {
        guard let session = sessionID(request) else { return .redirect(to: "/") }
        let login = await sessions.login(in: session, at: .now)
        // This comes first, so that nobody is signed in here regardless of Espalier's response.
        await sessions.forget(session)
        guard let login, let idToken = login.tokens.idToken, let tenant = tenants.first(where: { $0.slug == login.slug })
        else { return .redirect(to: "/") }
        let provider = provider(of: tenant)
        return .redirect(
            to: provider.logoutURL(
                idToken, returningTo: DemoApplication.logoutURI(publicURL: publicURL), by: try await provider.discover()))
    }
}
