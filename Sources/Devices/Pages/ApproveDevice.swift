import Access
import Encoding
import HTTPTypes
import Hummingbird
import Logging
import Postgres
import Sessions
import SignIn
import Tenancy
import Web

extension DeviceRoutes {
    /// Lets the device have the user's session. Only a form of this server can send it, from the browser that saw the device and signed the
    /// user in.
    @Sendable
    func approveDevice(_ request: Request, _ context: WebContext) async throws -> Response {
        guard request.isFromOwnPage(endpoints.publicURL) else { throw ErrorPage.deviceFromOtherPage }
        let (form, tenant) = (try await endpoints.browserForm(request, context), try await tenant(context))
        let seen = try await seenDevice(form["ticket"], of: tenant, request, context)
        let login = try login(form["login"] ?? "", seen, tenant.tenant)
        let approved = try await endpoints.showingOutage(.outage, context) {
            try await OwnerDatabase(grant.pool, tenant: tenant.tenant.id).run(
                DeviceAuthorization.approve(
                    seen.device.id, login.login.login, sealed: login.sealed(for: seen.device.id.description, with: endpoints.keyring),
                    of: tenant.tenant.id, at: endpoints.now()))
        }
        guard !approved.isEmpty else { throw ErrorPage.deviceGone }
        grant.metrics.count(.approval, "ok")
        return NoticePage(
            title: "The device is signed in", detail: "It continues in a few seconds.", remedy: "You can close this page.",
            facts: [("Application", seen.application.name)]
        ).response(of: seen, context)
    }
}

extension NoticePage {
    /// The last page of a decision. It removes the cookie.
    func response(of seen: SeenDevice, _ context: WebContext) -> Response {
        var response = response(.ok, requestID: context.record.current.requestID)
        response.headers.append(HTTPField(name: .setCookie, value: seen.cookie.removal))
        return response
    }
}
