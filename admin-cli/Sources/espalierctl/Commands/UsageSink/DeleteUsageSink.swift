import ArgumentParser

/// `espalierctl usage sink delete`: no meter any more.
struct DeleteUsageSink: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes the usage sink; what waits for it isn't sent.",
        discussion: """
            EXAMPLES
              espalierctl usage sink delete
              espalierctl usage sink delete --confirm=platform --no-input
            """)

    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("platform/usage-sink").ifUnchanged(nil, match.ifMatch).destroying(
            "deletes the usage sink, and what waits for it is not sent", word: "platform")
    }

    func note(_ answer: JSON) -> String? {
        "Deleted."
    }
}
