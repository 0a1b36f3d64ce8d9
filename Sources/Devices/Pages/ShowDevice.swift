import Access
import BrowserSessions
import Encoding
import HTTPTypes
import Hummingbird
import Pages
import Postgres
import Sessions
import Tenancy
import Web

extension DeviceRoutes {
    /// Shows which device asks, for a user code. It changes nothing, except for a cookie of the browser.
    ///
    /// Wrong codes are limited per network and per tenant. They also count as failed requests of their network.
    @Sendable
    func showDevice(_ request: Request, _ context: WebContext) async throws -> Response {
        guard request.isFromOwnPage(endpoints.origin(context)) else { throw ErrorPage.deviceFromOtherPage }
        let (form, now) = (try await endpoints.browserForm(request, context), endpoints.now())
        let tenant = try await tenant(context)
        let page = DevicePage(request, tenant, context)
        let typed = form["user_code"] ?? ""
        guard let code = UserCode(typed) else {
            grant.metrics.count(.approval, "code_malformed")
            return page.entry(code: "", problem: .codeHasEightLetters, context)
        }
        let found = try await guess(of: tenant.tenant.id, context) {
            try await endpoints.limits.lookUp(code.text, context.record) {
                try await endpoints.showingOutage(.outage, context) {
                    try await OwnerDatabase(grant.pool, tenant: tenant.tenant.id).repeatable.run(
                        DeviceAuthorization.find(code.digests(with: endpoints.keyring), of: tenant.tenant.id, at: now)
                    ).first(DeviceAuthorization.init)
                }
            }
        }
        guard let device = found, let application = tenant.application(of: device) else {
            grant.metrics.count(.approval, "code_unknown")
            return page.entry(code: "", problem: .codeIsUnknown, context)
        }

        // A second page of this browser must not end the first one, so both have the same cookie.
        let cookie = DeviceCookie(device.id, publicURL: endpoints.publicURL)
        let known = cookie.values(in: request).first { $0.utf8.count == Self.secretLength }
        let secret = known ?? RandomText.make()
        let ticket = DeviceTicket(device.id, code, of: tenant.tenant.id, browserSecret: secret)
        let facts = DeviceFacts(device, code, application, of: tenant.tenant, in: page.frame.language, context, at: now)
        return page.confirmation(facts, ticket: ticket.sealed(with: endpoints.keyring)).setting(known == nil ? [cookie.set(secret)] : [])
    }

    /// In bytes: 128 random bits.
    private static let secretLength = 22

    /// Looks up a user code. It counts before the look-up, and a right one is given back.
    /// - Throws: an `ErrorPage` instead of a look-up when a limit is reached.
    private func guess(
        of tenant: ID<Tenant>, _ context: WebContext, _ find: () async throws -> DeviceAuthorization?
    ) async throws -> DeviceAuthorization? {
        let network = CallerNetwork.site(of: context.record.current.address)
        var level = guessesOfNetwork.take(network, at: .now)
        if level.isGranted {
            level = guessesOfTenant.take(tenant, at: .now)
            // Others have used up the limit of the tenant. This network can guess again when it is available.
            if !level.isGranted { guessesOfNetwork.giveBack(network, at: .now) }
        }
        guard level.isGranted else {
            context.record.note(header: .retryAfter, "\(max(1, level.secondsUntilNext))")
            grant.metrics.count(.approval, "rate_limited")
            throw ErrorPage.tooManyUserCodes
        }
        guard let found = try await find() else { return nil }
        guessesOfNetwork.giveBack(network, at: .now)
        guessesOfTenant.giveBack(tenant, at: .now)
        return found
    }
}

extension TenantConfiguration {
    /// The application of a device, if it still exists and allows the device grant.
    func application(of device: DeviceAuthorization) -> Application? {
        applications[device.application].flatMap { $0.allowsDeviceGrant ? $0 : nil }
    }
}
