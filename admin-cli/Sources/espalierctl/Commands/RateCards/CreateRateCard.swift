import ArgumentParser

/// `espalierctl rate-cards create`: sets the prices of a plan or a tenant, starting on a day.
struct CreateRateCard: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Sets the prices of a plan, or a tenant's own prices, starting on a day.",
        discussion: """
            A tier is LAST:PRICE, for example 100000:0.005. The last tier is a price alone. Tiers count the logins after the included \
            logins. Silent sign-ins are free without --silent-login. The start day must be in a month that is not closed. Requires an operator.

            EXAMPLES
              espalierctl rate-cards create --plan scale --effective-from 2027-01-01 \\
                --currency USD --base-fee 49 --included 1000 \\
                --tier 100000:0.005 --tier 0.004
              espalierctl rate-cards create --tenant acme --effective-from 2027-01-01 \\
                --currency EUR --tier 0.003
              espalierctl rate-cards create --tenant acme --effective-from 2027-06-01 \\
                --follow-plan
            """)

    static let flags = [
        "effective_from": "--effective-from", "base_fee_micros": "--base-fee", "included_logins": "--included",
        "minimum_micros": "--minimum", "tier_mode": "--tier-mode", "tiers": "--tier", "silent_login_micros": "--silent-login",
    ]

    @Option(help: "The plan of the rate card.")
    var plan: Plan?

    @Option(
        help: ArgumentHelp("The slug or ID of the rate card's tenant. (environment: ESPALIER_TENANT)", valueName: "slug"))
    var tenant: Reference?

    @Option(help: ArgumentHelp("The first day (UTC) of the prices, such as 2027-01-01.", valueName: "day"))
    var effectiveFrom: Day

    @Option(help: ArgumentHelp("The currency, as an ISO 4217 code such as USD.", valueName: "code"))
    var currency: String?

    @Option(help: ArgumentHelp("The base fee per month, such as 49. By default, 0.", valueName: "amount"))
    var baseFee: Micros?

    @Option(help: ArgumentHelp("The number of included (free) logins per month. By default, 0.", valueName: "count"))
    var included: Int?

    @Option(help: ArgumentHelp("The minimum charge per month, such as 100. By default, 0.", valueName: "amount"))
    var minimum: Micros?

    @Option(
        help:
            "The price of each login: the price of its own tier (graduated), or the price of the last login's tier for all logins (volume). By default, graduated."
    )
    var tierMode: TierMode?

    @Option(
        help: ArgumentHelp(
            "The last login of the tier and the price per login, or only the price for the last tier. Repeat the option for each tier.",
            valueName: "last:price"))
    var tier: [PriceTier] = []

    @Option(
        help: ArgumentHelp("The price of each sign-in without Apple (single sign-on), such as 0.001. By default, 0.", valueName: "amount"))
    var silentLogin: Micros?

    @Flag(help: "Ends the tenant's own prices on the start day. The tenant then pays the prices of its plan.")
    var followPlan = false

    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if plan != nil, tenant != nil { throw ValidationError("Pass --plan or --tenant, not both.") }
        let hasPrices =
            currency != nil || baseFee != nil || included != nil || minimum != nil || tierMode != nil || !tier.isEmpty || silentLogin != nil
        if followPlan {
            if plan != nil { throw ValidationError("--follow-plan is only for a tenant.") }
            if hasPrices { throw ValidationError("--follow-plan uses the prices of the plan. Pass no prices.") }
        } else {
            guard currency != nil, !tier.isEmpty else { throw ValidationError("Pass --currency, and at least one --tier.") }
            guard tier.last?.upTo == nil, tier.dropLast().allSatisfy({ $0.upTo != nil })
            else { throw ValidationError("Every --tier except the last must be LAST:PRICE. The last must be a price alone.") }
        }
    }

    func call(_ session: Session) throws -> Call {
        let body: [String: JSON?] = [
            "plan": JSON(plan), "effective_from": .string(effectiveFrom.text), "follows_plan": followPlan ? .bool(true) : nil,
            "currency": JSON(currency), "base_fee_micros": JSON(baseFee?.count), "included_logins": JSON(included),
            "minimum_micros": JSON(minimum?.count), "tier_mode": JSON(tierMode), "tiers": tier.isEmpty ? nil : .array(tier.map(\.json)),
            "silent_login_micros": JSON(silentLogin?.count),
        ]
        return .post(plan == nil ? "tenants/\(try session.tenant(tenant))/rate-cards" : "rate-cards", body)
    }

    func advice(for failure: Failure) -> Failure {
        guard failure.problem == .init(status: 409, code: "conflict") else { return failure }
        var failure = failure
        failure.nextStep = "Pass a later day as --effective-from."
        return failure
    }

    func describe(_ card: JSON) throws -> String {
        try View.rateCard.details(of: card.asRateCard)
    }
}
