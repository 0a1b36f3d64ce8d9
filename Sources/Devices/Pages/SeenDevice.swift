import Access
import Hummingbird
import Postgres
import Sessions
import Tenancy
import Users
import Web

/// A device that this browser has seen, and about which the user can still decide.
struct SeenDevice {
    let ticket: DeviceTicket
    /// The ticket as it was sent.
    let sealed: String
    let device: DeviceAuthorization
    let application: Application
    let cookie: DeviceCookie
}

extension DeviceRoutes {
    /// Opens the ticket of a page, and reads its device.
    /// - Parameter allowsApproved: whether the device may have an approval.
    /// - Throws: an `ErrorPage` unless this browser has seen the device, and it still waits for a decision.
    func seenDevice(
        _ sealed: String?, of tenant: TenantConfiguration, allowsApproved: Bool = false, _ request: Request, _ context: WebContext
    ) async throws -> SeenDevice {
        let sealed = sealed ?? ""
        guard let ticket = DeviceTicket(opening: sealed, of: tenant.tenant.id, with: endpoints.keyring)
        else { throw ErrorPage.deviceUnreadable }
        let cookie = DeviceCookie(ticket.authorization, publicURL: endpoints.publicURL)
        guard ticket.belongs(toBrowserWith: cookie.values(in: request)) else { throw ErrorPage.deviceInOtherBrowser }
        let found = try await endpoints.showingOutage(.outage, context) {
            try await OwnerDatabase(grant.pool, tenant: tenant.tenant.id).repeatable.run(
                DeviceAuthorization.find(ticket.authorization, of: tenant.tenant.id)
            ).first(DeviceAuthorization.init)
        }
        let now = endpoints.now()
        guard let device = found, device.isOpen(at: now) || allowsApproved && device.isApproved && now < device.expiresAt,
            let application = tenant.application(of: device)
        else { throw ErrorPage.deviceGone }
        return SeenDevice(ticket: ticket, sealed: sealed, device: device, application: application, cookie: cookie)
    }
}

extension TenantEndpoints {
    /// The page to which the user returns from Apple.
    func approvalPage(of tenant: Tenant) -> String { "\(issuer(tenant))/device/approval" }

    /// This page at each address of the tenant.
    func approvalPages(of tenant: Tenant) -> [String] { issuers(tenant).map { "\($0)/device/approval" } }
}
