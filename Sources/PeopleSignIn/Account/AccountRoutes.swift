import Access
import Foundation
package import Hummingbird
import Pages
import People
import Postgres
import Sessions
package import Tenancy
package import Web

/// The pages of a person's own account.
///
///     showAccount → the page of a part → its change       a sign-in within the last 10 minutes, except for the name and for ended sessions
///     changeEmail → the link in a mail → confirmEmail     the new address is proved before it counts
///     askForRecovery → the link in a mail → setNewPassword   needs a code of the second factor, too
///
/// A GET changes nothing. Each change is in the audit trail of the platform, and the important ones are in a mail to the person.
package struct AccountRoutes: Sendable {
    let endpoints: AccountEndpoints
    /// For the names of tenants.
    let directory: TenantDirectory
    /// The limits of wrong codes with a mailed link.
    let limits = SignInLimits()
    /// The mailed links that a network may ask for.
    let recoveries = TokenBuckets<String>(perMinute: 1, holding: 5)

    package init(endpoints: AccountEndpoints, directory: TenantDirectory) {
        (self.endpoints, self.directory) = (endpoints, directory)
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        let pages = routes.limited(.page, endpoints.limits)
        pages.on(.get, "account", "showAccount", use: endpoints.page(showAccount))
        pages.on(.get, "account/name", "showName", use: endpoints.page(showName))
        pages.on(.post, "account/name", "changeName", use: endpoints.form(on: "/account/name", changeName))
        pages.on(.get, "account/email", "showEmail", use: endpoints.page(showEmail))
        pages.on(.post, "account/email", "changeEmail", use: endpoints.form(on: "/account/email", changeEmail))
        pages.on(.get, "account/email/confirmation", "showNewEmail", use: endpoints.answering(showNewEmail))
        pages.on(.post, "account/email/confirmation", "confirmEmail", use: endpoints.answering(confirmEmail))
        pages.on(.get, "account/password", "showPassword", use: endpoints.page(showPassword))
        pages.on(.post, "account/password", "changePassword", use: endpoints.form(on: "/account/password", changePassword))
        pages.on(.get, "account/totp", "showTOTP", use: endpoints.page(showTOTP))
        pages.on(.post, "account/totp", "enrollTOTP", use: endpoints.form(on: "/account/totp", enrollTOTP))
        pages.on(.get, "account/new-totp", "showNewTOTP", use: endpoints.page(showNewTOTP))
        pages.on(.post, "account/new-totp", "replaceTOTP", use: endpoints.form(on: "/account/new-totp", replaceTOTP))
        pages.on(.post, "account/totp/removal", "removeTOTP", use: endpoints.form(on: "/account/totp", removeTOTP))
        pages.on(.get, "account/recovery-codes", "showRecoveryCodes", use: endpoints.page(showRecoveryCodes))
        pages.on(
            .post, "account/recovery-codes", "renewRecoveryCodes", use: endpoints.form(on: "/account/recovery-codes", renewRecoveryCodes))
        pages.on(.get, "account/passkeys", "listPasskeys", use: endpoints.page(listPasskeys))
        pages.on(.get, "account/new-passkey", "showNewPasskey", use: endpoints.page(showNewPasskey))
        pages.on(
            .post, "account/new-passkey", "addPasskey",
            use: endpoints.form(on: "/account/new-passkey", upTo: longestPasskeyForm, addPasskey))
        pages.on(.get, "account/passkeys/{passkey}", "showPasskey", use: endpoints.page(showPasskey))
        pages.on(.post, "account/passkeys/{passkey}/name", "renamePasskey", use: endpoints.form(on: "/account/passkeys", renamePasskey))
        pages.on(.post, "account/passkeys/{passkey}/removal", "deletePasskey", use: endpoints.form(on: "/account/passkeys", deletePasskey))
        pages.on(.get, "account/sessions", "listOwnSessions", use: endpoints.page(listOwnSessions))
        pages.on(.post, "account/sessions/end", "endOtherSessions", use: endpoints.form(on: "/account/sessions", endOtherSessions))
        pages.on(.post, "account/sessions/{session}/end", "endOwnSession", use: endpoints.form(on: "/account/sessions", endOwnSession))
        pages.on(.get, "account/api-keys", "listOwnAPIKeys", use: endpoints.page(listOwnAPIKeys))
        pages.on(
            .post, "account/api-keys/{apiKey}/revoke", "revokeOwnAPIKey",
            use: endpoints.form(on: "/account/api-keys", revokeOwnAPIKey))
        pages.on(.get, "account/memberships/{member}", "showMembership", use: endpoints.page(showMembership))
        pages.on(.post, "account/memberships/{member}/leave", "leaveTenant", use: endpoints.form(on: "/account", leaveTenant))
        pages.on(.get, "account/recovery", "showRecovery", use: endpoints.answering(showRecovery))
        pages.on(.post, "account/recovery", "askForRecovery", use: endpoints.stepForm(askForRecovery))
        pages.on(.get, "account/recovery/password", "showNewPassword", use: endpoints.answering(showNewPassword))
        pages.on(.post, "account/recovery/password", "setNewPassword", use: endpoints.answering(setNewPassword))
        return routes
    }

    /// The name of a tenant, or of the installation.
    func name(of owner: UUID, in frame: PageFrame) async throws -> String {
        guard owner != .platform else { return frame.language.text(.wholeInstallation) }
        let id = ID<Tenant>(owner).description
        return try await directory.find(idOrSlug: id)?.tenant.name ?? id
    }

    /// The statement that records a change of the account in the trail of the platform.
    func event(
        _ action: String, _ account: AccountContext, before: (any Encodable)? = nil, after: (any Encodable)? = nil
    ) throws -> SQL {
        try AuditEvent.insert(
            action, of: account.person.id.description, owner: .platform, by: account.origin, before: before, after: after, at: account.now)
    }
}

extension AccountPage {
    /// Adds the way back to the overview.
    func leadingBack() -> AccountPage {
        var page = self
        page.links.append(.init(text: .backToYourAccount, path: "/account"))
        return page
    }
}

extension Date {
    /// The day in UTC, in a form that all languages read. It stands apart, because Arabic and Hebrew would reverse its parts otherwise.
    var day: String { "\u{2066}\(formatted(.iso8601.year().month().day()))\u{2069}" }

    /// The day and the minute in UTC, in the same way.
    var minute: String { "\u{2066}\(minuteText)\u{2069}" }
}
