import ArgumentParser

/// `espalierctl usage sink delete`: deletes the usage sink.
struct DeleteUsageSink: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes the usage sink. Its waiting events are not sent.",
        discussion: """
            EXAMPLES
              espalierctl usage sink delete
              espalierctl usage sink delete --confirm=platform --no-input
            """)

    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("platform/usage-sink").ifUnchanged(nil, match.ifMatch).destroying(
            "deletes the usage sink and its waiting events", word: "platform")
    }

    func note(_ answer: JSON) -> String? {
        "Deleted the usage sink."
    }
}
