import Access
import Encoding
import Hummingbird
import Sessions
import Web

extension TerminalRoutes {
    /// The token endpoint of people. The program is public, so the grant is the only proof.
    @Sendable
    func terminalToken(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await grant.form(request, context)
        let token = try await grant.reportingOutage(context) {
            switch form["grant_type"] {
            case "authorization_code": return try await grant.redeemTerminalCode(form, request, context)
            case GrantType.deviceCode: return try await grant.redeemTerminalDevice(form, context)
            case nil: throw OAuthError(.invalidRequest, "grant_type is missing.")
            default:
                throw OAuthError(.unsupportedGrantType, "grant_type must be authorization_code or \(GrantType.deviceCode).")
            }
        }
        return try .json(token, headers: [.pragma: "no-cache"])
    }
}
