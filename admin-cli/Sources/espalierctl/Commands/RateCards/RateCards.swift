import ArgumentParser

/// `espalierctl rate-cards`: versions of prices.
struct RateCards: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate-cards",
        abstract: "Looks at what plans and tenants pay, and sets it from a day on.",
        discussion: """
            A rate card is a version of prices, and never changed: another price is another rate card, from its first day on. A tenant \
            pays by its own, or else by its plan's. Months that are closed stay as they were billed.
            """,
        subcommands: [CreateRateCard.self, ListRateCards.self, ShowRateCard.self])
}

extension View {
    static let rateCard = View(
        .init("ID", "id"),
        .init("Of", "of"),
        .init("Version", "version").number,
        .init("From", "effective_from"),
        .init("Currency", "currency").optional,
        .init("Base fee", "base_fee").number.optional,
        .init("Included", "included_logins").number.optional,
        .init("Minimum", "minimum").number.optional,
        .init("A login", "prices").wrapped,
        expendable: ["ID", "Version", "Currency", "Minimum"])
}

extension JSON {
    /// A rate card with what a person reads of it: whose it is, and its amounts in units.
    var asRateCard: JSON {
        guard case .object(var members) = self else { return self }
        members["of"] = members["plan"] ?? "the tenant"
        for name in ["base_fee", "minimum"] { members[name] = self["\(name)_micros"]?.amount }
        let tiers = self["tiers"]?.elements ?? []
        let prices = tiers.map { tier in
            let price = tier["unit_price_micros"]?.amount?.text ?? "?"
            return tier["up_to"].map { "\(price) up to \($0.text)" } ?? (tiers.count > 1 ? "then \(price)" : price)
        }
        let mode = tiers.count > 1 ? self["tier_mode"].map { " (\($0.text))" } : nil
        members["prices"] = .string(tiers.isEmpty ? "as its plan's" : prices.joined(separator: ", ") + (mode ?? ""))
        return .object(members)
    }

    private var amount: JSON? { integer.map { .string(Micros(count: $0).text) } }
}
