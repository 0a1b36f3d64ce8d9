import ArgumentParser

/// `espalierctl rate-cards create`: what a plan costs, or a tenant pays, from a day on.
struct CreateRateCard: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Sets what a plan costs, or a tenant pays instead, from a day on.",
        discussion: """
            A tier is LAST:PRICE, as in 100000:0.005; the last is the price alone. Logins are counted behind those that are included. \
            Operators only. The day must lie in a month that isn't closed.

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
        "minimum_micros": "--minimum", "tier_mode": "--tier-mode", "tiers": "--tier",
    ]

    @Option(help: "The plan that it is for.")
    var plan: Plan?

    @Option(
        help: ArgumentHelp("The tenant that it is for: its slug or id. (environment: ESPALIER_TENANT)", valueName: "slug"))
    var tenant: Reference?

    @Option(help: ArgumentHelp("The first day in UTC on which it holds, as 2027-01-01.", valueName: "day"))
    var effectiveFrom: Day

    @Option(help: ArgumentHelp("The currency, in ISO 4217.", valueName: "code"))
    var currency: String?

    @Option(help: ArgumentHelp("What a month costs before its first login.", valueName: "amount"))
    var baseFee: Micros?

    @Option(help: ArgumentHelp("How many logins of a month cost nothing.", valueName: "count"))
    var included: Int?

    @Option(help: ArgumentHelp("What a month costs at the least.", valueName: "amount"))
    var minimum: Micros?

    @Option(
        help: "Whether each login has the price of the tier that it falls into (graduated), or all have that of the last (volume).")
    var tierMode: TierMode?

    @Option(help: ArgumentHelp("What a login costs: up to the last of the tier, or from there on. Repeat it.", valueName: "last:price"))
    var tier: [PriceTier] = []

    @Flag(help: "From then on the tenant pays what its plan costs, and nothing else holds for it.")
    var followPlan = false

    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if plan != nil, tenant != nil { throw ValidationError("Pass --plan or --tenant, not both.") }
        let hasPrices = currency != nil || baseFee != nil || included != nil || minimum != nil || tierMode != nil || !tier.isEmpty
        if followPlan {
            if plan != nil { throw ValidationError("--follow-plan is for a tenant.") }
            if hasPrices { throw ValidationError("With --follow-plan the plan's prices hold; pass none.") }
        } else {
            guard currency != nil, !tier.isEmpty else { throw ValidationError("Pass --currency, and at least one --tier.") }
            guard tier.last?.upTo == nil, tier.dropLast().allSatisfy({ $0.upTo != nil })
            else { throw ValidationError("Every --tier but the last is LAST:PRICE, and the last is the price alone.") }
        }
    }

    func call(_ session: Session) throws -> Call {
        let body: [String: JSON?] = [
            "plan": JSON(plan), "effective_from": .string(effectiveFrom.text), "follows_plan": followPlan ? .bool(true) : nil,
            "currency": JSON(currency), "base_fee_micros": JSON(baseFee?.count), "included_logins": JSON(included),
            "minimum_micros": JSON(minimum?.count), "tier_mode": JSON(tierMode), "tiers": tier.isEmpty ? nil : .array(tier.map(\.json)),
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
