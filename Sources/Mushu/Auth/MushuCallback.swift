import Access
import Hummingbird
import Sessions
import SignIn
import Tenancy
import Web

extension MushuRoutes {
    /// Receives Apple's form for a login that `mushuAuthorize` started, or Apple's id_token as JSON from an application on a device.
    ///
    /// Apple itself posts the form to the connection's Return URL, which is the one that is registered at Apple.
    @Sendable
    func mushuCallback(_ request: Request, _ context: WebContext) async throws -> Response {
        switch request.mediaType {
        case "application/json":
            let (tenant, application) = try await applicationInPath(context)
            var fields = try await JSONFields(request, upTo: context.maxUploadSize)
            let sent = try AppleSignIn(
                &fields, idToken: "id_token", code: fields.has("access_code") ? "access_code" : "code", isCodeRequired: false,
                isNonceRequired: false)
            return try .json(try await session(sent, by: application, of: tenant, request, context))
        case "application/x-www-form-urlencoded":
            let id = context.parameters.get("client_id").flatMap { ID<Application>($0) }
            guard let tenant = try await endpoints.showingOutage(.outageAtCallback, context, { try await endpoints.tenant(context) })
            else { throw ErrorPage.unknownTenant.leading(toApplication: id) }
            guard let application = id.flatMap({ tenant.applications[$0] }) else { throw ErrorPage.unknownApplication }
            return try await signIn.callback(for: application, of: tenant, request, context)
        default:
            throw Problem(.unsupportedMediaType, "Send application/json, or application/x-www-form-urlencoded from a browser.")
        }
    }
}
