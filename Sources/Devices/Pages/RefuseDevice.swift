import Access
import BrowserSessions
import Encoding
import HTTPTypes
import Hummingbird
import Logging
import Pages
import Postgres
import Sessions
import Tenancy
import Web

extension DeviceRoutes {
    /// Refuses the device, before or after the sign-in with Apple.
    @Sendable
    func refuseDevice(_ request: Request, _ context: WebContext) async throws -> Response {
        guard request.isFromOwnPage(endpoints.origin(context)) else { throw ErrorPage.deviceFromOtherPage }
        let (form, tenant) = (try await endpoints.browserForm(request, context), try await tenant(context))
        let seen = try await seenDevice(form["ticket"], of: tenant, request, context)
        let refused = try await endpoints.showingOutage(.outage, context) {
            try await OwnerDatabase(grant.pool, tenant: tenant.tenant.id).run(
                DeviceAuthorization.refuse(seen.device.id, of: tenant.tenant.id, at: endpoints.now()))
        }
        guard !refused.isEmpty else { throw ErrorPage.deviceGone }
        grant.metrics.count(.approval, "refused")
        // Many of these can be a sign of phishing.
        endpoints.logger.notice(
            "device refused",
            metadata: [
                "request_id": "\(context.record.current.requestID)", "tenant": "\(tenant.tenant.slug)",
                "application": "\(seen.application.id)",
            ])
        return NoticePage(title: .youRefusedTheDevice, detail: .deviceIsNotSignedIn, remedy: [.doNotAnswerThatPerson])
            .response(.ok, in: PageFrame(request, tenant, context)).setting([seen.cookie.removal])
    }
}
