import Access
import BrowserSessions
import Encoding
import Hummingbird
import Logging
import Pages
import Postgres
import Sessions
import SignIn
import Tenancy
import Web

extension DeviceRoutes {
    /// Lets the device have the user's session. Only a form of this server can send it, from the browser that saw the device and signed the
    /// user in. The same form again, by a double click or a reload, gets the same page.
    @Sendable
    func approveDevice(_ request: Request, _ context: WebContext) async throws -> Response {
        guard request.isFromOwnPage(endpoints.publicURL) else { throw ErrorPage.deviceFromOtherPage }
        let (form, tenant, now) = (try await endpoints.browserForm(request, context), try await tenant(context), endpoints.now())
        let seen = try await seenDevice(form["ticket"], of: tenant, allowsApproved: true, request, context)
        let login = try login(form["login"] ?? "", seen, tenant.tenant)
        let isFirst = seen.device.state == .pending
        // The device would start a login that the budget refuses.
        guard !isFirst || !tenant.refusesLogins(at: now) else { throw ErrorPage.budgetUsedUp }
        let approved = try await endpoints.showingOutage(.outage, context) {
            try await OwnerDatabase(grant.pool, tenant: tenant.tenant.id).run(
                DeviceAuthorization.approve(
                    seen.device.id, login.login.login, sealed: login.sealed(for: seen.device.id.description, with: endpoints.keyring),
                    of: tenant.tenant.id, at: now))
        }
        guard !approved.isEmpty else { throw ErrorPage.deviceGone }
        if isFirst {
            grant.metrics.count(.approval, "ok")
            // After phishing, this line leads from the session to the browser that approved.
            endpoints.logger.notice(
                "device approved",
                metadata: [
                    "request_id": "\(context.record.current.requestID)", "tenant": "\(tenant.tenant.slug)",
                    "application": "\(seen.application.id)", "session": "\(ID<Session>(login.login.login.uuid))",
                    "address": "\(context.record.current.address ?? "unknown")",
                    "device_address": "\(seen.device.device.address ?? "unknown")",
                ])
        }
        // The cookie stays, because a reload sends the form again.
        return NoticePage(
            title: .deviceIsSignedIn, detail: .deviceContinues, remedy: [.youCanCloseThisPage],
            facts: [.init(.application, seen.application.name)]
        ).response(.ok, in: PageFrame(request, tenant, context))
    }
}
