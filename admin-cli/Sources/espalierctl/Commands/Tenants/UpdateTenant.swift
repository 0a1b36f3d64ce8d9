import ArgumentParser

/// `espalierctl tenants update`: another name, another plan, other settings.
struct UpdateTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes a tenant's name, plan or settings.",
        discussion: """
            What isn't given stays as it is. Only operators may change the plan. A limit of sessions holds at once, for those that are \
            there too; 'none' lifts it.

            EXAMPLES
              espalierctl tenants update acme --plan enterprise
              espalierctl tenants update acme --name "Acme AG" --dry-run
              espalierctl tenants update acme --session-limit 30d --idle-limit 7d
            """)
    static let view: View? = .tenant
    static let flags = [
        "session_seconds": "--session-limit", "idle_seconds": "--idle-limit", "profile_retention_days": "--profile-retention",
        "signing_key_days": "--signing-key-days",
    ]

    @Argument(help: ArgumentHelp("The tenant's slug or id.", valueName: "slug"))
    var tenant: Reference

    @Option(help: "What people call it.")
    var name: String?

    @Option(help: "What it pays for.")
    var plan: Plan?

    @Option(help: ArgumentHelp("How long any of its sessions lasts at most: 12h, 30d, or none.", valueName: "time"))
    var sessionLimit: Limit?

    @Option(help: ArgumentHelp("How long any of its sessions lasts unused at most: 12h, 30d, or none.", valueName: "time"))
    var idleLimit: Limit?

    @Option(help: ArgumentHelp("How many days the profile of a user is kept whose Apple account is deleted.", valueName: "days"))
    var profileRetention: Int?

    @Option(help: ArgumentHelp("How many days a signing key signs.", valueName: "days"))
    var signingKeyDays: Int?

    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard members.values.contains(where: { $0 != nil }) else {
            throw ValidationError(
                "Say what to change: --name, --plan, --session-limit, --idle-limit, --profile-retention or --signing-key-days.")
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
        ]
    }
}
