import Access
import Hummingbird
import Sessions
import Tenancy
import Users
import Web

/// Whether an access token is valid, and for whom. Every other member is null if it is not.
private struct Reply: Encodable {
    let valid: Bool
    var user_id: ID<User>?
    var user_type, email: String?
    var app_id: ID<Application>?

    private enum CodingKeys: CodingKey {
        case valid, user_id, user_type, email, app_id
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(valid, forKey: .valid)
        try container.encode(user_id, forKey: .user_id)
        try container.encode(user_type, forKey: .user_type)
        try container.encode(email, forKey: .email)
        try container.encode(app_id, forKey: .app_id)
    }
}

extension MushuRoutes {
    /// Shows whether an access token of this application is valid now. Unlike a signature, it takes ended sessions and deleted users into
    /// account.
    @Sendable
    func mushuValidate(_ request: Request, _ context: WebContext) async throws -> Response {
        let (tenant, application) = try await applicationInPath(context)
        do {
            let (token, found) = try await tokens.signedInUser(try bearerToken(request), of: application, tenant, at: endpoints.now())
            let user = UserReply(found, token)
            return try .json(
                Reply(valid: true, user_id: user.user_id, user_type: user.user_type, email: user.email, app_id: application.id))
        } catch let error as OAuthError where error.code == .invalidToken {
            // It is a result and not an error, but it counts as a failed request. Otherwise anybody could try out tokens without a limit.
            try endpoints.limits.charge(context.record)
            return try .json(Reply(valid: false))
        }
    }
}
