import ArgumentParser

/// `espalierctl budget`: how much of a month a tenant means to pay for.
struct Budget: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks at a tenant's budget for a month, sets it, and removes it.",
        discussion: """
            Webhooks hear when half of it, four fifths and all of it are used (usage.threshold). A hard one then has logins refused to the \
            end of the month; none is hard unless it is set so.
            """,
        subcommands: [ShowBudget.self, SetBudget.self, RemoveBudget.self])
}

extension View {
    static let budget = View(
        .init("Budget", "limit"),
        .init("Hard", "hard"),
        .init("Month", "current.period").optional,
        .init("Used", "used").optional,
        .init("Per cent", "current.percent").optional,
        .init("Logins refused until", "logins_refused_until").optional,
        .init("Created", "created_at"),
        .init("Updated", "updated_at"))
}

extension JSON {
    /// A budget with what a person reads of it: `500.00 USD`, or `100000 logins`, of the whole and of what is used.
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
