import Foundation
import Hummingbird

extension DemoRoutes {
    /// `POST /session/sign-out`: forgets the browser, and sends it on to Espalier, which ends the session and sends it back. Apple is
    /// not told: signing out of an application is not the end of the consent.
    @Sendable
    func signOut(_ request: Request, context: BasicRequestContext) async throws -> Response {
        guard let session = sessionID(request) else { return .redirect(to: "/") }
        let login = await sessions.login(in: session, at: .now)
        // First: whatever Espalier says, nobody is signed in here any more.
        await sessions.forget(session)
        guard let login, let idToken = login.tokens.idToken, let tenant = tenants.first(where: { $0.slug == login.slug })
        else { return .redirect(to: "/") }
        let provider = provider(of: tenant)
        return .redirect(
            to: provider.logoutURL(
                idToken, returningTo: DemoApplication.logoutURI(publicURL: publicURL), by: try await provider.discover()))
    }
}
