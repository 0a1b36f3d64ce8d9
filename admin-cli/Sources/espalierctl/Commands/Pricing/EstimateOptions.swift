import ArgumentParser

/// How many logins are reckoned, and by whose prices.
struct EstimateOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many logins a month has, 0 to 1000000000.", valueName: "count"))
    var logins: Int

    @Option(help: "By the prices of this plan.")
    var plan: Plan?

    @Option(
        help: ArgumentHelp("By the prices that hold for this tenant: its slug or id. (environment: ESPALIER_TENANT)", valueName: "slug"))
    var tenant: Reference?

    @Option(help: ArgumentHelp("By the prices that hold on this day, as 2026-11-01. Without it, today's.", valueName: "day"))
    var on: Day?

    func validate() throws {
        guard (0...1_000_000_000).contains(logins) else { throw ValidationError("--logins takes 0 to 1000000000.") }
        if plan != nil, tenant != nil { throw ValidationError("Pass --plan or --tenant, not both: a tenant has a plan.") }
    }

    /// The tenant that is named, or else configured, unless a plan is.
    func tenantName(_ session: Session) throws(Failure) -> String? {
        if let tenant { return tenant.text }
        return plan == nil ? try session.settings.tenant() : nil
    }
}
