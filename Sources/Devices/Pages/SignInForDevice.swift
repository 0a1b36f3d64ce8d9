import Access
import Encoding
import Hummingbird
import Sessions
import SignIn
import Tenancy
import Web

extension DeviceRoutes {
    /// Starts the user's sign-in with Apple. The device gets nothing by it.
    @Sendable
    func signInForDevice(_ request: Request, _ context: WebContext) async throws -> Response {
        let tenant = try await tenant(context)
        let seen = try await seenDevice(try endpoints.browserQuery(request)["ticket"], of: tenant, request, context)
        let address = ReturnAddress(
            redirectURI: endpoints.approvalPage(of: tenant.tenant), state: seen.sealed, issuer: endpoints.issuer(tenant.tenant))
        let asked = AuthorizationRequest(
            forDeviceOf: seen.application, at: address, scope: seen.device.scope, apis: seen.device.apis)
        return try signIn.beginForDevice(asked, for: tenant, request)
    }
}
