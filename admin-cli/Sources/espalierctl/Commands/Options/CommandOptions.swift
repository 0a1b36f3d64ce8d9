import ArgumentParser

/// The shared options of one kind of command.
protocol CommandOptions: ParsableArguments {
    var server: ServerOptions { get }
    /// Whether the response is printed as JSON.
    var json: Bool { get }
    /// The filter for the printed JSON.
    var jq: JQ? { get }
    /// Whether the call is printed and not sent.
    var dryRun: Bool { get }
    /// Whether prompts are forbidden.
    var noInput: Bool { get }
    /// The word that confirms a destructive call.
    var confirm: String? { get }
    /// The file for a secret, instead of the terminal.
    var secretFile: String? { get }
    var page: PageOptions? { get }
}

extension CommandOptions {
    var jq: JQ? { nil }
    var dryRun: Bool { false }
    var noInput: Bool { false }
    var confirm: String? { nil }
    var secretFile: String? { nil }
    var page: PageOptions? { nil }
}

/// The options of a command that reads one resource.
struct ReadOptions: CommandOptions {
    @OptionGroup var output: OutputOptions
    @OptionGroup var server: ServerOptions

    var json: Bool { output.json }
    var jq: JQ? { output.jq }
}

/// The options of a command that lists resources.
struct ListOptions: CommandOptions {
    @OptionGroup var pages: PageOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var server: ServerOptions

    var json: Bool { output.json }
    var jq: JQ? { output.jq }
    var page: PageOptions? { pages }
}

/// The options of a command that changes a resource.
struct ChangeOptions: CommandOptions {
    @OptionGroup var change: ChangeFlags
    @OptionGroup var output: OutputOptions
    @OptionGroup var server: ServerOptions

    var json: Bool { output.json }
    var jq: JQ? { output.jq }
    var dryRun: Bool { change.dryRun }
    var noInput: Bool { change.noInput }
}

/// The options of a destructive command.
struct DestroyOptions: CommandOptions {
    @OptionGroup var change: ChangeFlags

    @Option(
        help: ArgumentHelp(
            "The tenant's slug, platform, or the person's ID, to confirm. Without it, the command asks in a terminal and fails elsewhere.",
            valueName: "word"))
    var confirm: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var server: ServerOptions

    var json: Bool { output.json }
    var jq: JQ? { output.jq }
    var dryRun: Bool { change.dryRun }
    var noInput: Bool { change.noInput }
}

/// The options of a command that receives a secret.
struct SecretOptions: CommandOptions {
    @Option(
        help: ArgumentHelp(
            "Writes the secret to this new file, which only you can read, instead of showing it.", valueName: "file"),
        completion: .file())
    var secretFile: String?

    @OptionGroup var change: ChangeFlags
    @OptionGroup var output: OutputOptions
    @OptionGroup var server: ServerOptions

    var json: Bool { output.json }
    var jq: JQ? { output.jq }
    var dryRun: Bool { change.dryRun }
    var noInput: Bool { change.noInput }
}

struct OutputOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Prints the server's JSON unchanged, for programs.")
    var isJSON = false

    @Option(
        help: ArgumentHelp(
            "Prints only a part of the JSON: a filter in a small part of the language of jq, for example '.data[].id'.",
            valueName: "filter"))
    var jq: JQ?

    /// Whether the command prints JSON, or a part of it.
    var json: Bool { isJSON || jq != nil }
}

struct ChangeFlags: ParsableArguments {
    @Flag(help: "Shows the request without its secrets, and sends nothing.")
    var dryRun = false

    @Flag(help: "Never prompts, even in a terminal.")
    var noInput = false
}

struct PageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The number of results, 1 to 100. By default, the server chooses.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("Shows the page after this cursor, which the previous page ended with.", valueName: "cursor"))
    var after: String?

    @Option(help: ArgumentHelp("Shows the page before this cursor.", valueName: "cursor"))
    var before: String?

    @Flag(help: "Shows all results, with as many requests as needed.")
    var all = false

    func validate() throws {
        if let limit, !(1...100).contains(limit) { throw ValidationError("--limit takes 1 to 100.") }
        if after != nil, before != nil { throw ValidationError("Pass --after or --before, not both.") }
        if all, before != nil { throw ValidationError("--all reads forward. Pass --all or --before, not both.") }
    }

    var query: [(name: String, value: String)] {
        [("limit", limit.map(String.init)), ("after", after), ("before", before)].compactMap { name, value in value.map { (name, $0) } }
    }
}
