import Hummingbird
import HTTPTypes
import Logging
import Postgres
import Tenancy
import Web

/// RFC 6749, section 5.1.
struct TokenReply: Encodable {
    let access_token: String
    let token_type = "Bearer"
    let expires_in: Int
    let refresh_token: String
    let id_token: String?
    let scope: String
}

extension Login {
    /// The token endpoint: who asks, then what for.
    @Sendable
    func token(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let tenant = try await outageTold(context, { try await tenant(context) }) else { throw Problem.notFound("tenant") }
        guard request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
        else { throw OAuthError(.invalidRequest, "Send the parameters as application/x-www-form-urlencoded.") }
        let form: Form
        do { form = try await Form(request.body, upTo: context.maxUploadSize) } catch is Form.Refusal {
            throw OAuthError(.invalidRequest, "A parameter is malformed or comes more than once.")
        }
        switch form["grant_type"] {
        case "authorization_code":
            return try await counted(.token, context) {
                try await redeemCode(form, try authenticate(request, form, tenant), tenant.tenant)
            }
        case "refresh_token":
            return try await counted(.refresh, context) {
                try await refreshTokens(form, try authenticate(request, form, tenant), tenant.tenant)
            }
        case nil:
            throw OAuthError(.invalidRequest, "grant_type is missing.")
        default:
            throw OAuthError(.unsupportedGrantType, "grant_type must be authorization_code or refresh_token.")
        }
    }

    private func counted(_ step: Metrics.Step, _ context: WebContext, _ grant: () async throws -> TokenReply) async throws -> Response {
        do {
            let reply = try await outageTold(context, grant)
            metrics.count(step, "ok")
            return try .json(reply, headers: [.pragma: "no-cache"])
        } catch {
            metrics.count(step, (error as? OAuthError)?.code.rawValue ?? "unexpected")
            throw error
        }
    }
}

extension Login {
    /// Tells an outage of the database in OAuth's form.
    func outageTold<T>(_ context: WebContext, _ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as DatabaseError where error.isOutage {
            logger.error(
                "database outage", metadata: ["request_id": "\(context.record.current.requestID)", "cause": "\(error)"])
            throw OAuthError(.temporarilyUnavailable, "The database cannot be reached at the moment. Try again in a few seconds.")
        }
    }
}

extension HTTPField.Name {
    static let pragma = HTTPField.Name("Pragma")!
}
