import ArgumentParser

/// The options that commands of one sort share.
protocol CommandOptions: ParsableArguments {
    var server: ServerOptions { get }
    /// Whether the answer is printed as JSON.
    var json: Bool { get }
    /// Whether the call is only shown.
    var dryRun: Bool { get }
    /// Whether nobody is to be asked.
    var noInput: Bool { get }
    /// The word that allows a destruction.
    var confirm: String? { get }
    /// Where a secret goes instead of the screen.
    var secretFile: String? { get }
    var page: PageOptions? { get }
}

extension CommandOptions {
    var dryRun: Bool { false }
    var noInput: Bool { false }
    var confirm: String? { nil }
    var secretFile: String? { nil }
    var page: PageOptions? { nil }
}

/// Those of a command that looks at one thing.
struct ReadOptions: CommandOptions {
    @OptionGroup var output: OutputOptions
    @OptionGroup var server: ServerOptions

    var json: Bool { output.json }
}

/// Those of a command that lists.
struct ListOptions: CommandOptions {
    @OptionGroup var pages: PageOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var server: ServerOptions

    var json: Bool { output.json }
    var page: PageOptions? { pages }
}

/// Those of a command that changes something.
struct ChangeOptions: CommandOptions {
    @OptionGroup var change: ChangeFlags
    @OptionGroup var output: OutputOptions
    @OptionGroup var server: ServerOptions

    var json: Bool { output.json }
    var dryRun: Bool { change.dryRun }
    var noInput: Bool { change.noInput }
}

/// Those of a command that destroys something.
struct DestroyOptions: CommandOptions {
    @OptionGroup var change: ChangeFlags

    @Option(
        help: ArgumentHelp(
            "Allows it: repeat the tenant's slug (or platform). Without it you are asked in a terminal, and refused elsewhere.",
            valueName: "slug"))
    var confirm: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var server: ServerOptions

    var json: Bool { output.json }
    var dryRun: Bool { change.dryRun }
    var noInput: Bool { change.noInput }
}

/// Those of a command that gets a secret.
struct SecretOptions: CommandOptions {
    @Option(
        help: ArgumentHelp(
            "Writes the secret to a new file that only you can read, instead of showing it.", valueName: "file"),
        completion: .file())
    var secretFile: String?

    @OptionGroup var change: ChangeFlags
    @OptionGroup var output: OutputOptions
    @OptionGroup var server: ServerOptions

    var json: Bool { output.json }
    var dryRun: Bool { change.dryRun }
    var noInput: Bool { change.noInput }
}

struct OutputOptions: ParsableArguments {
    @Flag(help: "Prints the server's JSON as it came, for programs.")
    var json = false
}

struct ChangeFlags: ParsableArguments {
    @Flag(help: "Shows what would be sent, without its secrets, and sends nothing.")
    var dryRun = false

    @Flag(help: "Asks nothing, even in a terminal.")
    var noInput = false
}

struct PageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many to show, 1 to 100. Without it the server chooses.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("Shows those that follow, from the cursor that the last page ended with.", valueName: "cursor"))
    var after: String?

    @Option(help: ArgumentHelp("Shows those that stand before, the other way.", valueName: "cursor"))
    var before: String?

    @Flag(help: "Shows all of them, whatever it takes.")
    var all = false

    func validate() throws {
        if let limit, !(1...100).contains(limit) { throw ValidationError("--limit takes 1 to 100.") }
        if after != nil, before != nil { throw ValidationError("Pass --after or --before, not both.") }
        if all, before != nil { throw ValidationError("--all goes forward; it can't be used with --before.") }
    }

    var query: [(name: String, value: String)] {
        [("limit", limit.map(String.init)), ("after", after), ("before", before)].compactMap { name, value in value.map { (name, $0) } }
    }
}
