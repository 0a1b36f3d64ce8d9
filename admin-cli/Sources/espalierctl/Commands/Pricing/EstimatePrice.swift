import ArgumentParser

/// `espalierctl pricing estimate`: estimates the cost of a number of logins.
struct EstimatePrice: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "estimate",
        abstract: "Estimates the monthly cost of a number of logins by line, and shows the price of the next tier.",
        discussion: """
            The prices are those of a plan or of a tenant. Requires an API key with the scope pricing:read.

            EXAMPLES
              espalierctl pricing estimate --logins 250000 --plan scale
              espalierctl pricing estimate --logins 250000 --tenant acme --on 2027-01-01
              espalierctl pricing estimate --logins 250000 --plan scale --json \\
                | jq -r .total
            """)

    @OptionGroup var question: EstimateOptions
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .post(
            "pricing/estimate",
            [
                "logins": .integer(question.logins), "silent_logins": JSON(question.silentLogins), "plan": JSON(question.plan),
                "tenant": JSON(try question.tenantName(session)),
                "on": JSON(question.on?.text),
            ])
    }

    func describe(_ estimate: JSON) throws -> String {
        guard let logins = estimate["logins"], let plan = estimate["plan"], let lines = estimate["lines"]?.elements,
            let currency = estimate["currency"], let total = estimate["total"], let begin = estimate["rate_card.effective_from"],
            let version = estimate["rate_card.version"]
        else { throw Failure.shape() }
        let owner = estimate["rate_card.tenant_id"] == nil ? "the plan \(plan.text)'s" : "the tenant's own"
        let view = View(
            .init("Line", "description").wrapped, .init("Quantity", "quantity").number.optional,
            .init("Unit price", "unit_price").number.optional,
            .init(currency.text, "amount").number)
        let silent =
            estimate["silent_logins"].flatMap { $0.integer ?? 0 > 0 ? " and \(counted($0.text, "silent sign-in"))" : nil } ?? ""
        var text =
            "\(counted(logins.text, "login"))\(silent) per month, with \(owner) rate card \(version.text), effective from \(begin.text)"
            .printable
            + "\n\n"
        text += try view.table(of: lines + [.object(["description": "Total", "amount": total])])
        if let next = estimate["next_tier"] { text += "\n" + (try sentence(on: next, estimate, currency.text)).printable + "\n" }
        return text
    }

    private func sentence(on next: JSON, _ estimate: JSON, _ currency: String) throws(Failure) -> String {
        guard let from = next["from_login"]?.text, let more = next["additional_logins"]?.text, let price = next["unit_price"]?.text,
            let total = next["total"]?.text, let change = next["change"]?.text
        else { throw .shape() }
        let what =
            estimate["rate_card.tier_mode"] == "volume" ? "all logins cost \(price) \(currency) each" : "a login costs \(price) \(currency)"
        let difference = change.hasPrefix("-") ? "\(change.dropFirst()) less" : "\(change) more"
        return
            "The next tier starts at login \(from) (\(more) more logins): \(what). \(from) logins per month cost \(total) \(currency), \(difference)."
    }
}
