import Access
import Encoding
import HTTPTypes
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Web

extension DeviceRoutes {
    /// Shows which device asks, for a user code. It changes nothing, except for a cookie of the browser.
    ///
    /// Wrong codes are limited per address, together with all other failed requests, and per tenant. A code counts before it is looked up.
    @Sendable
    func showDevice(_ request: Request, _ context: WebContext) async throws -> Response {
        guard request.isFromOwnPage(endpoints.publicURL) else { throw ErrorPage.deviceFromOtherPage }
        let (form, now) = (try await endpoints.browserForm(request, context), endpoints.now())
        let tenant = try await tenant(context)
        let typed = form["user_code"] ?? ""
        guard let code = UserCode(typed) else {
            grant.metrics.count(.approval, "code_malformed")
            return DevicePage.entry(
                tenant.tenant.slug, code: "", problem: "A code has 8 letters, such as BCDF-GHJK. Check the code on your device.", context)
        }
        let level = guesses.take(tenant.tenant.id, at: .now)
        guard level.isGranted else {
            context.record.note(header: .retryAfter, "\(max(1, level.secondsUntilNext))")
            grant.metrics.count(.approval, "rate_limited")
            throw ErrorPage.tooManyUserCodes
        }
        let found = try await endpoints.limits.lookUp(code.text, context.record) {
            try await endpoints.showingOutage(.outage, context) {
                try await OwnerDatabase(grant.pool, tenant: tenant.tenant.id).repeatable.run(
                    DeviceAuthorization.find(code.digests(with: endpoints.keyring), of: tenant.tenant.id, at: now)
                ).first(DeviceAuthorization.init)
            }
        }
        guard let device = found, let application = tenant.application(of: device) else {
            grant.metrics.count(.approval, "code_unknown")
            return DevicePage.entry(
                tenant.tenant.slug, code: "",
                problem: "This code is unknown or has expired. Check the code on your device, or start again there.", context)
        }
        guesses.giveBack(tenant.tenant.id, at: .now)

        let secret = RandomText.make()
        let ticket = DeviceTicket(device.id, code, of: tenant.tenant.id, browserSecret: secret)
        var response = DevicePage.confirmation(
            tenant.tenant.slug, DeviceFacts(device, code, application, context, at: now), ticket: ticket.sealed(with: endpoints.keyring))
        response.headers.append(
            HTTPField(name: .setCookie, value: DeviceCookie(device.id, publicURL: endpoints.publicURL).set(secret)))
        return response
    }
}

extension TenantConfiguration {
    /// The application of a device, if it still exists and allows the device grant.
    func application(of device: DeviceAuthorization) -> Application? {
        applications[device.application].flatMap { $0.allowsDeviceGrant ? $0 : nil }
    }
}
