import ArgumentParser

/// `espalierctl rate-cards list`: lists the rate cards of the plans or of a tenant.
struct ListRateCards: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the rate cards of the plans, and a tenant's own rate cards.",
        discussion: """
            EXAMPLES
              espalierctl rate-cards list --platform --plan scale
              espalierctl rate-cards list --tenant acme
            """)
    static let view: View? = .rateCard

    @Option(help: "Shows only rate cards of this plan.")
    var plan: Plan?

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get(try session.rateCards(owner), ["plan": plan?.rawValue])
    }

    func describe(_ answer: JSON) throws -> String {
        guard let elements = answer["data"]?.elements else { throw Failure.shape() }
        return elements.isEmpty ? "" : try View.rateCard.table(of: elements.map(\.asRateCard))
    }
}

extension Session {
    /// The path of the rate cards, for example `tenants/acme/rate-cards` or `rate-cards`.
    func rateCards(_ owner: OwnerOption) throws(Failure) -> String {
        owner.platform ? "rate-cards" : "\(try path(owner))/rate-cards"
    }
}
