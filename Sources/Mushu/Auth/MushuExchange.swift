import Access
import Hummingbird
import Sessions
import SignIn
import Tenancy
import Users
import Web

/// The tokens of a client that needs only an access token.
private struct Reply: Encodable {
    let jwt: String
    let user_id: ID<User>
    let app_id: ID<Application>
}

extension MushuRoutes {
    /// Exchanges Apple's id_token for an access token, without Apple's code. An id_token with a nonce needs this nonce.
    @Sendable
    func mushuExchange(_ request: Request, _ context: WebContext) async throws -> Response {
        let (tenant, application) = try await applicationInPath(context)
        var fields = try await JSONFields(request, upTo: context.maxUploadSize)
        let sent = try AppleSignIn(&fields, idToken: "identity_token", code: nil, isCodeRequired: false, isNonceRequired: false)
        let session = try await session(sent, by: application, of: tenant, request, context)
        return try .json(Reply(jwt: session.tokens.access_token, user_id: session.user.user_id, app_id: application.id))
    }
}
