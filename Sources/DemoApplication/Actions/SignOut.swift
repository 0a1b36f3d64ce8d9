import Hummingbird

extension DemoRoutes {
    /// `POST /session/sign-out`: forgets the browser. Apple and Espalier are not told.
    @Sendable
    func signOut(_ request: Request, context: BasicRequestContext) async throws -> Response {
        if let session = sessionID(request) { await sessions.forget(session) }
        return .redirect(to: "/")
    }
}
