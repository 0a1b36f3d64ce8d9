import ClientKeys
import Hummingbird
import Pages
import Tenancy
import Web

/// The metadata of this version (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2).
private struct Metadata: Encodable {
    let issuer, authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri: String
    let introspection_endpoint, revocation_endpoint, end_session_endpoint: String
    let pushed_authorization_request_endpoint, device_authorization_endpoint, registration_endpoint: String
    let require_pushed_authorization_requests = false
    let backchannel_logout_supported = true
    let backchannel_logout_session_supported = true
    let frontchannel_logout_supported = true
    let frontchannel_logout_session_supported = true
    let scopes_supported = Scope.supported
    let response_types_supported = ["code"]
    let response_modes_supported = ReturnAddress.Mode.allCases.map(\.rawValue)
    let grant_types_supported = [
        "authorization_code", "refresh_token", GrantType.clientCredentials, GrantType.tokenExchange, GrantType.deviceCode,
    ]
    let subject_types_supported = ["public"]
    let id_token_signing_alg_values_supported = Application.SigningAlgorithm.allCases.map(\.rawValue)
    let token_endpoint_auth_methods_supported = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]
    let token_endpoint_auth_signing_alg_values_supported = PublicKey.Algorithm.allCases.map(\.rawValue)
    let introspection_endpoint_auth_methods_supported = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
    let introspection_endpoint_auth_signing_alg_values_supported = PublicKey.Algorithm.allCases.map(\.rawValue)
    let revocation_endpoint_auth_methods_supported = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]
    let revocation_endpoint_auth_signing_alg_values_supported = PublicKey.Algorithm.allCases.map(\.rawValue)
    let code_challenge_methods_supported = ["S256"]
    let dpop_signing_alg_values_supported = PublicKey.Algorithm.allCases.map(\.rawValue)
    let prompt_values_supported = AuthorizationRequest.prompts
    let ui_locales_supported = Language.allCases.map(\.rawValue)
    let claims_supported = [
        "iss", "sub", "aud", "sid", "iat", "exp", "auth_time", "nonce", "at_hash", "name", "given_name", "family_name", "email",
        "email_verified", "is_private_email", "email_disabled", "amr", "real_user_status",
    ]
    let request_parameter_supported = false
    let request_uri_parameter_supported = false
    let claims_parameter_supported = false
    let authorization_response_iss_parameter_supported = true
}

extension DiscoveryRoutes {
    @Sendable
    func openIDConfiguration(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let found = try await endpoints.issuer(context) else { throw Problem.notFound("tenant") }
        let issuer = endpoints.issuer(found)
        return try .json(
            Metadata(
                issuer: issuer, authorization_endpoint: "\(issuer)/oauth2/authorize", token_endpoint: "\(issuer)/oauth2/token",
                userinfo_endpoint: "\(issuer)/oauth2/userinfo", jwks_uri: "\(issuer)/oauth2/jwks",
                introspection_endpoint: "\(issuer)/oauth2/introspect", revocation_endpoint: "\(issuer)/oauth2/revoke",
                end_session_endpoint: "\(issuer)/oauth2/logout", pushed_authorization_request_endpoint: "\(issuer)/oauth2/par",
                device_authorization_endpoint: "\(issuer)/oauth2/device_authorization",
                registration_endpoint: "\(issuer)/oauth2/register"),
            cacheControl: Self.cacheControl(isOld: found.isOld))
    }
}
