import Hummingbird
import Sessions
import SignIn
import Tenancy
import Web

extension MushuRoutes {
    /// Signs in the user of Apple's id_token on a device.
    @Sendable
    func mushuSignIn(_ request: Request, _ context: WebContext) async throws -> Response {
        let (tenant, application) = try await applicationInPath(context)
        var fields = try await JSONFields(request, upTo: context.maxUploadSize)
        let sent = try AppleSignIn(&fields, idToken: "id_token", code: "access_code", isCodeRequired: true, isNonceRequired: true)
        return try .json(try await session(sent, by: application, of: tenant, request, context))
    }

    /// Signs in, and reads the user of the new session.
    func session(
        _ sent: AppleSignIn, by application: Application, of tenant: TenantConfiguration, _ request: Request, _ context: WebContext
    ) async throws -> SessionReply {
        let issued = try await native.nativeTokens(for: sent.native, by: application, of: tenant, request, context)
        let (token, user) = try await tokens.signedInUser(issued.access_token, of: application, tenant, at: endpoints.now())
        return SessionReply(
            user: UserReply(user, token), tokens: .init(access_token: issued.access_token, refresh_token: issued.refresh_token ?? ""))
    }
}
