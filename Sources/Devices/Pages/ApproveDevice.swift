import Access
import Accounts
import BrowserSessions
import Encoding
import Foundation
import Hummingbird
import Logging
import Pages
import Postgres
import Sessions
import SignIn
import Tenancy
import Users
import Web

extension DeviceRoutes {
    /// Lets the device have the user's session. Only a form of this server can send it, from the browser that saw the device and signed the
    /// user in. The same form again, by a double click or a reload, gets the same page.
    ///
    /// The approval is also the consent to an application of a third party, which the page has described.
    @Sendable
    func approveDevice(_ request: Request, _ context: WebContext) async throws -> Response {
        guard request.isFromOwnPage(endpoints.origin(context)) else { throw ErrorPage.deviceFromOtherPage }
        let (form, tenant, now) = (try await endpoints.browserForm(request, context), try await tenant(context), endpoints.now())
        let seen = try await seenDevice(form["ticket"], of: tenant, allowsApproved: true, request, context)
        let login = try login(form["login"] ?? "", seen, tenant.tenant)
        // A page of the previous version, or from before the tenant changed the application, has described no third party.
        guard !seen.application.isThirdParty || form["third_party"] != nil else { throw ErrorPage.deviceGone }
        let isFirst = seen.device.state == .pending
        // The device would start a login that the budget refuses.
        guard !isFirst || !tenant.refusesLogins(at: now) else { throw ErrorPage.budgetUsedUp }
        let approved = try await endpoints.showingOutage(.outage, context) {
            try await approve(seen, login, of: tenant.tenant, at: now)
        }
        guard approved else { throw ErrorPage.deviceGone }
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

    /// Stores the approval, and the consent in the same transaction.
    /// - Returns: whether both count. They do not if the user was signed out, or the tenant revoked the consent, since the sign-in.
    private func approve(_ seen: SeenDevice, _ sealed: SealedLogin, of tenant: Tenant, at now: Date) async throws -> Bool {
        let (database, application, login) = (OwnerDatabase(grant.pool, tenant: tenant.id), seen.application, sealed.login)
        let approval = DeviceAuthorization.approve(
            seen.device.id, login.login, sealed: sealed.sealed(for: seen.device.id.description, with: endpoints.keyring), of: tenant.id,
            at: now)
        guard application.isThirdParty else { return try await !database.run(approval).isEmpty }
        let admission = User.admit(login.user, of: tenant.id, since: login.admittedAt, unless: login.hasEnded(of: tenant.id))
        let consent = Consent.give(
            by: login.user, to: application.id, tenant.id, scope: login.scope, apis: login.apis, askedAt: login.admittedAt, at: now)
        do {
            try await database.transaction { db in
                for statement in [admission, approval, consent] {
                    guard try await !db.run(statement).isEmpty else { throw NotApproved() }
                }
            }
            return true
        } catch is NotApproved {
            return false
        }
    }
}

/// Rolls the transaction back.
private struct NotApproved: Error {}
