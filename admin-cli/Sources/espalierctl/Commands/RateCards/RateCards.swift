import ArgumentParser

/// `espalierctl rate-cards`: manages the versions of prices.
struct RateCards: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate-cards",
        abstract: "Lists and sets the prices of plans and tenants.",
        discussion: """
            A rate card is a version of prices and never changes. To change a price, create another rate card with a later start day. A \
            tenant pays the prices of its own rate card. Without one, it pays the prices of its plan. Closed months never change.
            """,
        subcommands: [CreateRateCard.self, ListRateCards.self, ShowRateCard.self])
}

extension View {
    static let rateCard = View(
        .init("ID", "id"),
        .init("Owner", "of"),
        .init("Version", "version").number,
        .init("From", "effective_from"),
        .init("Currency", "currency").optional,
        .init("Base fee", "base_fee").number.optional,
        .init("Included", "included_logins").number.optional,
        .init("Minimum", "minimum").number.optional,
        .init("Prices", "prices").wrapped,
        expendable: ["ID", "Version", "Currency", "Minimum"])
}

extension JSON {
    /// A rate card with its owner and its amounts as text.
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
        let silent = self["silent_login_micros"].flatMap { $0.integer ?? 0 > 0 ? $0.amount : nil }.map { ", silent sign-ins \($0.text)" }
        members["prices"] = .string(tiers.isEmpty ? "the plan's prices" : prices.joined(separator: ", ") + (mode ?? "") + (silent ?? ""))
        return .object(members)
    }

    private var amount: JSON? { integer.map { .string(Micros(count: $0).text) } }
}
