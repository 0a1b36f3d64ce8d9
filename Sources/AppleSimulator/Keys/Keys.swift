import Hummingbird

extension SimulatedApple {
    /// `GET /auth/keys`: the JWKS.
    func keys(_ request: Request, context: SimulatorContext) async throws -> Response {
        try await answer(.keys, clientID: nil, context: context) { _ in .json(try await signingKeys.jwks) }
    }

    /// `GET /.well-known/openid-configuration`. The endpoints have the authority of the request.
    func discovery(_ request: Request, context: SimulatorContext) async throws -> Response {
        let base = "http://\(request.head.authority ?? configuration.host)"
        return .json([
            "issuer": .string(configuration.issuer),
            "authorization_endpoint": .string("\(base)/auth/authorize"),
            "token_endpoint": .string("\(base)/auth/token"),
            "revocation_endpoint": .string("\(base)/auth/revoke"),
            "jwks_uri": .string("\(base)/auth/keys"),
            "response_types_supported": ["code", "code id_token"],
            "response_modes_supported": ["query", "fragment", "form_post"],
            "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "scopes_supported": ["name", "email"],
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            "claims_supported": [
                "aud", "auth_time", "email", "email_verified", "exp", "iat", "is_private_email", "iss", "nonce", "nonce_supported",
                "org_id", "real_user_status", "sub",
            ],
        ])
    }
}
