import Access
import Encoding
import Foundation

/// A tenant as callers and the audit trail see it.
struct TenantReply {
    let id: ID<Tenant>
    let object = "tenant"
    let slug, name: String
    let plan: Tenant.Plan
    let status: Tenant.Status
    let issuer: String
    let connection_id: ID<Connection>?
    let session_seconds, idle_seconds: Int?
    let profile_retention_days, signing_key_days: Int
    let single_sign_on: Bool
    let browser_session_seconds, browser_idle_seconds: Int
    let sign_in_page: SignInPageUse
    let account_linking: AccountLinking
    let allows_support: Bool
    let purge_after: Date?
    let created_at, updated_at: Date

    /// - Parameter issuer: the issuer at the address that the tenant prefers.
    init(_ tenant: Tenant, issuer: String) {
        (id, slug, name, plan, status) = (tenant.id, tenant.slug, tenant.name, tenant.plan, tenant.status)
        self.issuer = issuer
        (connection_id, purge_after) = (tenant.connection, tenant.purgeAfter)
        (session_seconds, idle_seconds) = (tenant.settings.sessionSeconds, tenant.settings.idleSeconds)
        (profile_retention_days, signing_key_days) = (tenant.settings.profileRetentionDays, tenant.settings.signingKeyDays)
        single_sign_on = tenant.settings.singleSignOn
        browser_session_seconds = tenant.settings.browserSessionSeconds
        browser_idle_seconds = tenant.settings.browserIdleSeconds
        sign_in_page = tenant.settings.signInPage
        account_linking = tenant.settings.accountLinking
        allows_support = tenant.settings.allowsSupport
        (created_at, updated_at) = (tenant.createdAt, tenant.updatedAt)
    }
}

extension TenantReply: JSONWritable {
    func write(to json: inout JSONText) {
        json.object { json in
            json.member("id", id)
            json.member("object", object)
            json.member("slug", slug)
            json.member("name", name)
            json.member("plan", plan.rawValue)
            json.member("status", status.rawValue)
            json.member("issuer", issuer)
            json.member("connection_id", connection_id)
            json.member("session_seconds", session_seconds)
            json.member("idle_seconds", idle_seconds)
            json.member("profile_retention_days", profile_retention_days)
            json.member("signing_key_days", signing_key_days)
            json.member("single_sign_on", single_sign_on)
            json.member("browser_session_seconds", browser_session_seconds)
            json.member("browser_idle_seconds", browser_idle_seconds)
            json.member("sign_in_page", sign_in_page.rawValue)
            json.member("account_linking", account_linking.rawValue)
            json.member("allows_support", allows_support)
            json.member("purge_after", purge_after)
            json.member("created_at", created_at)
            json.member("updated_at", updated_at)
        }
    }
}
