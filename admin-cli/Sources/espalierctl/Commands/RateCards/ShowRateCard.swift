import ArgumentParser

/// `espalierctl rate-cards show`: shows a rate card.
struct ShowRateCard: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a rate card of a plan or of a tenant.",
        discussion: """
            EXAMPLES
              espalierctl rate-cards show ratecard_01jd8x3v6qf9wr2m5tzk7h4c0n --platform
              espalierctl rate-cards show ratecard_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
            """)

    @Argument(help: ArgumentHelp("The rate card's ID.", valueName: "id"))
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
