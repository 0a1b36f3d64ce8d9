import HTTPTypes
import Hummingbird
import Synchronization

extension SimulatedApple {
    /// `POST /auth/revoke`: returns 200 with an empty body, even for an unknown or invalid token. A known token ends the
    /// person's consent to the whole team.
    func revoke(_ request: Request, context: SimulatorContext) async throws -> Response {
        guard let form = try await form(request) else {
            return oauthError("invalid_request", "the body is not a form with each field once")
        }
        return try await answer(.revoke, clientID: form["client_id"], context: context) { faults in
            for case .error(let code) in faults { return oauthError(code, "a fault") }
            let client: Registry.Client
            switch try await authenticate(form, at: now) {
            case .client(let known): client = known
            case .refused(let response): return response
            }
            guard let token = form["token"] else { return oauthError("invalid_request", "token is missing") }
            guard [nil, "refresh_token", "access_token"].contains(form["token_type_hint"]) else {
                return oauthError("invalid_request", "token_type_hint must be refresh_token or access_token")
            }
            state.withLock { $0.grants.revoke(token, clientID: client.id) }
            return Response(status: .ok)
        }
    }
}
