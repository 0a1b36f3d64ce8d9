import ArgumentParser

/// How long the old one lives on beside the new one.
struct OverlapOption: ParsableArguments {
    @Option(help: ArgumentHelp("How long the old one lives on: 12h, 7d, or seconds; 0 to 30d.", valueName: "time"))
    var overlap: Span = Span(seconds: 86_400)

    func validate() throws {
        guard (0...2_592_000).contains(overlap.seconds) else { throw ValidationError("--overlap takes 0 to 30d.") }
    }
}
