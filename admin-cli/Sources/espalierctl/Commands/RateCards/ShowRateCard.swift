import ArgumentParser

/// `espalierctl rate-cards show`: one of them.
struct ShowRateCard: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one rate card: a plan's, or a tenant's own.",
        discussion: """
            EXAMPLES
              espalierctl rate-cards show ratecard_01jd8x3v6qf9wr2m5tzk7h4c0n --platform
              espalierctl rate-cards show ratecard_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
            """)

    @Argument(help: ArgumentHelp("The rate card's id.", valueName: "id"))
    var rateCard: Reference

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.rateCards(owner))/\(rateCard.text)")
    }

    func describe(_ card: JSON) throws -> String {
        try View.rateCard.details(of: card.asRateCard)
    }
}
