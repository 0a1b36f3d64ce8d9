import ArgumentParser

/// The time for which the old key or secret stays valid beside the new one.
struct OverlapOption: ParsableArguments {
    @Option(help: ArgumentHelp("How long the old one stays valid, up to 30d: 12h, 7d, or seconds.", valueName: "time"))
    var overlap: Span = Span(seconds: 86_400)

    func validate() throws {
        guard (0...2_592_000).contains(overlap.seconds) else { throw ValidationError("--overlap takes 0 to 30d.") }
    }
}
