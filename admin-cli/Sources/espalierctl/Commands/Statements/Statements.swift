import ArgumentParser

/// `espalierctl statements`: shows the charges of closed months and of the current month.
struct Statements: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the charges of closed months and of the current month.",
        subcommands: [ListStatements.self, ShowStatement.self, ShowUpcomingStatement.self, PrintStatement.self])
}

extension View {
    static let statement = View(
        .init("ID", "id"),
        .init("Tenant", "tenant_slug"),
        .init("Name", "tenant_name").detail,
        .init("Period", "period"),
        .init("Total", "total"),
        .init("Events", "events").number,
        .init("Digest", "digest").detail,
        .init("Closed", "closed_at"),
        sections: [.init(title: "Lines", path: "lines", view: .statementLine)],
        expendable: ["Closed", "ID"])

    static let upcomingStatement = View(
        .init("Tenant", "tenant_slug"),
        .init("Name", "tenant_name").detail,
        .init("Period", "period"),
        .init("State", "state"),
        .init("Up to", "complete_until"),
        .init("Total so far", "total"),
        .init("Events", "events").number,
        sections: [.init(title: "Lines", path: "lines", view: .statementLine)])

    static let statementLine = View(
        .init("Description", "description").wrapped,
        .init("Plan", "plan").optional,
        .init("Rate card", "rate_card").number,
        .init("Quantity", "quantity").number,
        .init("Unit price", "unit_price").optional.number,
        .init("Amount", "amount").number,
        .init("Currency", "currency"),
        expendable: ["Rate card", "Plan", "Currency"])
}

extension JSON {
    /// A statement with its totals per currency as text, for example `49.01 USD`, and with its lines as text.
    var withTotal: JSON {
        guard case .object(var members) = self else { return self }
        let totals = self["totals"]?.elements?.map { "\($0["amount"]?.text ?? "") \($0["currency"]?.text ?? "")" } ?? []
        members["total"] = .string(totals.isEmpty ? "-" : totals.joined(separator: ", "))
        if let lines = self["lines"]?.elements { members["lines"] = .array(lines.map(\.withRateCard)) }
        return .object(members)
    }

    /// A line with its rate card as text: the version, and `own` for a tenant's own rate card.
    private var withRateCard: JSON {
        guard case .object(var members) = self else { return self }
        let version = self["rate_card_version"]?.text ?? "-"
        members["rate_card"] = .string(self["own_rate_card"] == .bool(true) ? "own \(version)" : version)
        return .object(members)
    }
}
