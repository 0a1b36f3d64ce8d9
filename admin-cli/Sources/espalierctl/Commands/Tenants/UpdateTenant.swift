import ArgumentParser

/// `espalierctl tenants update`: changes a tenant's name, plan or settings.
struct UpdateTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes a tenant's name, plan or settings.",
        discussion: """
            Properties without an option do not change. Only operators may change the plan. A session limit applies at once, even to \
            existing sessions. The value none removes the limit.

            EXAMPLES
              espalierctl tenants update acme --plan enterprise
              espalierctl tenants update acme --name "Acme AG" --dry-run
              espalierctl tenants update acme --session-limit 30d --idle-limit 7d
              espalierctl tenants update acme --single-sign-on
            """)
    static let view: View? = .tenant
    static let flags = [
        "session_seconds": "--session-limit", "idle_seconds": "--idle-limit", "profile_retention_days": "--profile-retention",
        "signing_key_days": "--signing-key-days", "single_sign_on": "--single-sign-on",
        "browser_session_seconds": "--browser-session-limit", "browser_idle_seconds": "--browser-idle-limit",
        "sign_in_page": "--sign-in-page", "account_linking": "--account-linking",
        "allows_support": "--allows-support",
    ]

    @Argument(help: ArgumentHelp("The tenant's slug or ID.", valueName: "slug"))
    var tenant: Reference

    @Option(help: "The display name.")
    var name: String?

    @Option(help: "The plan.")
    var plan: Plan?

    @Option(help: ArgumentHelp("The maximum lifetime of all sessions: 12h, 30d, seconds, or none.", valueName: "time"))
    var sessionLimit: Limit?

    @Option(help: ArgumentHelp("The maximum time without use of all sessions: 12h, 30d, seconds, or none.", valueName: "time"))
    var idleLimit: Limit?

    @Option(
        help: ArgumentHelp(
            "The number of days for which Espalier retains a user's profile after the user's Apple account is deleted, 0 to 3650. A new tenant has 30.",
            valueName: "days"))
    var profileRetention: Int?

    @Option(help: ArgumentHelp("The number of days for which a signing key signs, 1 to 3650. A new tenant has 90.", valueName: "days"))
    var signingKeyDays: Int?

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Signs users in at all applications of the tenant with one sign-in with Apple, in the same browser. Off by default.")
    var singleSignOn: Bool?

    @Option(
        help: ArgumentHelp(
            "The maximum time from a sign-in with Apple for single sign-on: 12h, 30d, seconds, or none for the default of 30 days.",
            valueName: "time"))
    var browserSessionLimit: Limit?

    @Option(
        help: ArgumentHelp(
            """
            The maximum time without a sign-in in the same browser for single sign-on: 12h, 30d, seconds, or none for the default of 24 hours.
            """, valueName: "time"))
    var browserIdleLimit: Limit?

    @Option(
        name: .customLong("sign-in-page"),
        help: "When users see the tenant's sign-in page before Apple's page: never (default), on-request, always, or none for the default.")
    var signInPage: SignInPageUse?

    @Option(
        help: """
            Whether a first sign-in with the address of another user asks the person (ask, which a new tenant has), or creates a user (off).
            """)
    var accountLinking: AccountLinking?

    @Flag(inversion: .prefixedNo, help: "Whether operators can start a support access. With --no-allows-support, active ones end.")
    var allowsSupport: Bool?

    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard members.values.contains(where: { $0 != nil }) else {
            throw ValidationError(
                """
                Pass --name, --plan, --session-limit, --idle-limit, --profile-retention, --signing-key-days, --single-sign-on, \
                --browser-session-limit, --browser-idle-limit, --sign-in-page, --account-linking or --allows-support.
                """)
        }
    }

    func call(_ session: Session) -> Call {
        let path = "tenants/\(tenant.text)"
        return .patch(path, members).ifUnchanged(path, match.ifMatch)
    }

    private var members: [String: JSON?] {
        [
            "name": JSON(name), "plan": JSON(plan), "session_seconds": sessionLimit?.json, "idle_seconds": idleLimit?.json,
            "profile_retention_days": JSON(profileRetention), "signing_key_days": JSON(signingKeyDays),
            "single_sign_on": JSON(singleSignOn), "browser_session_seconds": browserSessionLimit?.json,
            "browser_idle_seconds": browserIdleLimit?.json, "sign_in_page": signInPage?.json,
            "account_linking": accountLinking.map { JSON.string($0.rawValue) }, "allows_support": JSON(allowsSupport),
        ]
    }
}
