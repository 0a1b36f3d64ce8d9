import ArgumentParser

/// `espalierctl budget`: manages a tenant's monthly budget.
struct Budget: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows, sets and removes a tenant's monthly budget.",
        discussion: """
            Webhooks receive usage.threshold when 50, 80 and 100 percent of the budget are used. After 100 percent, a hard budget rejects \
            logins until the end of the month. By default, a budget is not hard.
            """,
        subcommands: [ShowBudget.self, SetBudget.self, RemoveBudget.self])
}

extension View {
    static let budget = View(
        .init("Budget", "limit"),
        .init("Hard", "hard"),
        .init("Month", "current.period").optional,
        .init("Used", "used").optional,
        .init("Percent", "current.percent").optional,
        .init("Logins rejected until", "logins_refused_until").optional,
        .init("Created", "created_at"),
        .init("Updated", "updated_at"))
}

extension JSON {
    /// A budget with its limit and its usage as text, for example `500.00 USD` or `100000 logins`.
    var asBudget: JSON {
        guard case .object(var members) = self else { return self }
        func words(_ number: JSON?, _ amount: JSON?) -> JSON? {
            if let amount { return .string("\(amount.text) \(self["currency"]?.text ?? "")") }
            return number.map { .string("\($0.text) logins") }
        }
        members["limit"] = words(self["logins"], self["amount"])
        members["used"] = words(self["current.logins"], self["current.amount"])
        return .object(members)
    }
}
