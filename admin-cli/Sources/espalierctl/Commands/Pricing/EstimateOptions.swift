import ArgumentParser

/// The options of an estimate: the numbers of logins and silent sign-ins, and the prices.
struct EstimateOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The number of logins per month, 0 to 1000000000.", valueName: "count"))
    var logins: Int

    @Option(help: ArgumentHelp("The number of sign-ins without Apple (single sign-on) per month. By default, 0.", valueName: "count"))
    var silentLogins: Int?

    @Option(help: "The plan whose prices apply.")
    var plan: Plan?

    @Option(
        help: ArgumentHelp("The slug or ID of the tenant whose prices apply. (environment: ESPALIER_TENANT)", valueName: "slug"))
    var tenant: Reference?

    @Option(help: ArgumentHelp("The day whose prices apply, such as 2026-11-01. By default, today.", valueName: "day"))
    var on: Day?

    func validate() throws {
        guard (0...1_000_000_000).contains(logins) else { throw ValidationError("--logins takes 0 to 1000000000.") }
        if let silentLogins, !(0...1_000_000_000).contains(silentLogins) {
            throw ValidationError("--silent-logins takes 0 to 1000000000.")
        }
        if plan != nil, tenant != nil { throw ValidationError("Pass --plan or --tenant, not both. A tenant already has a plan.") }
    }

    /// The tenant of the option or of the settings. Nil if the option for the plan is present.
    func tenantName(_ session: Session) throws(Failure) -> String? {
        if let tenant { return tenant.text }
        return plan == nil ? try session.settings.tenant() : nil
    }
}
