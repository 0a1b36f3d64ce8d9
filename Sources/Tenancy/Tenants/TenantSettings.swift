package import Access
import Postgres
import Web

extension Tenant.Settings {
    init(_ row: Row) throws {
        self.init()
        sessionSeconds = try row.get("session_seconds")
        idleSeconds = try row.get("idle_seconds")
        profileRetentionDays = try row.get("profile_retention_days")
        signingKeyDays = try row.get("signing_key_days")
        singleSignOn = try row.get("single_sign_on")
        browserSessionSeconds = try row.get("browser_session_seconds")
        browserIdleSeconds = try row.get("browser_idle_seconds")
        signInPage = try row.get("sign_in_page")
        accountLinking = try row.get("account_linking")
        allowsSupport = try row.get("allows_support")
    }

    /// Applies the settings of a request. Absent members do not change. Null restores the default.
    mutating func read(_ fields: inout JSONFields) {
        func setting(_ name: String, _ range: ClosedRange<Int>, _ value: inout Int?) {
            if let number = fields.integer(name, range) { value = number } else if fields.isNull(name) { value = nil }
        }
        setting("session_seconds", 300...31_536_000, &sessionSeconds)
        setting("idle_seconds", 300...31_536_000, &idleSeconds)
        var (retention, rotation): (Int?, Int?) = (profileRetentionDays, signingKeyDays)
        setting("profile_retention_days", 0...3650, &retention)
        setting("signing_key_days", 1...3650, &rotation)
        profileRetentionDays = retention ?? Self.defaultProfileRetentionDays
        signingKeyDays = rotation ?? Self.defaultSigningKeyDays
        if let flag = fields.flag("single_sign_on") { singleSignOn = flag } else if fields.isNull("single_sign_on") { singleSignOn = false }
        var (lifetime, idle): (Int?, Int?) = (browserSessionSeconds, browserIdleSeconds)
        setting("browser_session_seconds", 300...31_536_000, &lifetime)
        setting("browser_idle_seconds", 300...31_536_000, &idle)
        browserSessionSeconds = lifetime ?? Self.defaultBrowserSessionSeconds
        browserIdleSeconds = idle ?? Self.defaultBrowserIdleSeconds
        if let use = fields.choice("sign_in_page", SignInPageUse.self) {
            signInPage = use
        } else if fields.isNull("sign_in_page") {
            signInPage = .never
        }
        if let linking = fields.choice("account_linking", AccountLinking.self) {
            accountLinking = linking
        } else if fields.isNull("account_linking") {
            accountLinking = .ask
        }
        if let flag = fields.flag("allows_support") {
            allowsSupport = flag
        } else if fields.isNull("allows_support") {
            allowsSupport = true
        }
    }
}

extension Application {
    /// The application with its settings limited by the tenant's settings.
    package func limited(by settings: Tenant.Settings) -> Application {
        var limited = self
        limited.sessionSeconds = min(sessionSeconds, settings.sessionSeconds ?? sessionSeconds)
        limited.idleSeconds = min(idleSeconds, settings.idleSeconds ?? idleSeconds)
        return limited
    }
}
