import Access
import Encoding
import Hummingbird
import Sessions
import Tenancy
import Web

extension DeviceRoutes {
    /// Shows the page for the user code. A link may fill it in (`verification_uri_complete`). The page reads no data of the device, so a link
    /// neither guesses codes nor decides anything.
    @Sendable
    func enterDeviceCode(_ request: Request, _ context: WebContext) async throws -> Response {
        let code = UserCode(try endpoints.browserQuery(request)["user_code"] ?? "")
        if let moved = try await endpoints.showingOutage(.outage, context, { try await endpoints.movedTenant(context) }) {
            // Devices and manuals show this address for years.
            let page = "\(endpoints.openIssuer(moved))/device"
            return .redirect(to: code.map { "\(page)?user_code=\($0.text)" } ?? page, status: .found, cookies: [])
        }
        let tenant = try await tenant(context)
        return DevicePage(request, tenant, context).entry(code: code?.text ?? "", context)
    }

    /// The tenant in the path.
    func tenant(_ context: WebContext) async throws -> TenantConfiguration {
        guard let tenant = try await endpoints.showingOutage(.outage, context, { try await endpoints.tenant(context) }) else {
            throw ErrorPage.unknownTenant
        }
        return tenant
    }
}
