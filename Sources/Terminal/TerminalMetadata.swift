import Hummingbird
import Sessions
import Web

extension TerminalRoutes {
    /// The metadata of the issuer of people (RFC 8414, section 2).
    private struct Metadata: Encodable {
        let issuer, authorization_endpoint, token_endpoint, device_authorization_endpoint, revocation_endpoint: String
        let response_types_supported = ["code"]
        let response_modes_supported = ["query"]
        let grant_types_supported = ["authorization_code", GrantType.deviceCode]
        let token_endpoint_auth_methods_supported = ["none"]
        let revocation_endpoint_auth_methods_supported = ["none"]
        let code_challenge_methods_supported = ["S256"]
        let authorization_response_iss_parameter_supported = true
    }

    @Sendable
    func terminalMetadata(_ request: Request, _ context: WebContext) async throws -> Response {
        let issuer = grant.issuer
        return try .json(
            Metadata(
                issuer: issuer, authorization_endpoint: "\(issuer)/oauth2/authorize", token_endpoint: "\(issuer)/oauth2/token",
                device_authorization_endpoint: "\(issuer)/oauth2/device_authorization",
                revocation_endpoint: "\(issuer)/oauth2/revoke"),
            cacheControl: "public, max-age=3600")
    }
}
