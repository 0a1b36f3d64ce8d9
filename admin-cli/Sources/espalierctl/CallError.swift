import ArgumentParser

/// Converts the error of a command line that cannot be parsed into the format of every other failure.
enum CallError {
    /// The failure for an error of ArgumentParser.
    /// - Parameters:
    ///   - error: the error.
    ///   - arguments: the command line without the program's name.
    static func failure(for error: any Error, arguments: [String]) -> Failure {
        let path = CommandPath(arguments)
        if let failure = path.failure { return failure }
        let command = path.known.joined(separator: " ")
        let message = Espalierctl.message(for: error)
        let usage = Espalierctl.fullMessage(for: error).split(separator: "\n").first { $0.hasPrefix("Usage: ") }
        var failure = Failure(
            status: .usage, detail: message.split(separator: "\n").joined(separator: " "),
            fields: usage.map { ["u\($0.dropFirst())"] } ?? [],
            nextStep: "`\(command) --help` describes every argument.")
        if let unknown = message.wholeMatch(of: #/Unknown option '([^']*)'\. Did you mean '([^']*)'\?/#) {
            // ArgumentParser suggests an option even if it is not similar.
            let (typed, suggestion) = (String(unknown.1), String(unknown.2))
            failure.detail = "Unknown option '\(typed)'."
            if CommandPath.nearest(to: typed, among: [suggestion]) != nil {
                failure.nextStep = "Did you mean `\(suggestion)`? \(failure.nextStep)"
            }
        }
        // Only some messages of ArgumentParser end with a period.
        if let last = failure.detail.unicodeScalars.last, ![".", "?", "!"].contains(last) { failure.detail += "." }
        if let rejected = RejectedValue(message) {
            failure.detail = rejected.detail
            if let suggestion = rejected.suggestion {
                failure.nextStep = "Did you mean `\(suggestion)`? \(failure.nextStep)"
            } else if path.known.last == OpenPage._commandName, let advice = OpenedPage.advice(for: rejected.value) {
                failure.nextStep = advice
            } else if rejected.option == nil, let advice = NamedByID.advice(forCommand: Array(path.known.dropFirst()), arguments) {
                failure.nextStep = advice
            }
        }
        return failure
    }
}

/// The path of a command line through the tree of commands.
struct CommandPath {
    /// The words that name commands, starting with the program's name.
    private(set) var known: [String] = [Espalierctl._commandName]
    /// The first word that should name a command and does not.
    private(set) var unknown: String?
    /// The words after the unknown word, up to the first option.
    private(set) var rest: [String] = []
    private var candidates: [String] = []

    init(_ arguments: [String]) {
        var command: any ParsableCommand.Type = Espalierctl.self
        var words = arguments.prefix { !$0.utf8.starts(with: "-".utf8) }
        // `help` shows the help of the command that the next words name.
        while !command.configuration.subcommands.isEmpty, let word = words.popFirst() {
            if word == "help" { continue }
            let commands = command.configuration.subcommands
            if let next = commands.first(where: { $0._commandName == word || $0.configuration.aliases.contains(word) }) {
                known.append(word)
                command = next
            } else {
                (unknown, candidates) = (word, commands.map { $0._commandName })
                rest = Array(words)
                return
            }
        }
    }

    /// The most likely command for the unknown word: a common synonym, or the nearest spelling.
    var suggestion: String? {
        guard let unknown else { return nil }
        let synonyms = [
            "ls": ["list"], "get": ["show"], "describe": ["show"], "view": ["show"], "edit": ["update"], "set": ["update"],
            "new": ["create", "register", "issue", "add"], "create": ["register", "issue", "add"], "add": ["create", "register", "issue"],
            "rm": ["delete", "revoke", "remove"], "remove": ["delete", "revoke"], "delete": ["revoke", "remove"],
        ]
        if let synonym = synonyms[unknown]?.first(where: candidates.contains) { return synonym }
        return Self.nearest(to: unknown, among: candidates)
    }

    /// The failure for an unknown word, even before `--help`. Nil if every word is known.
    var failure: Failure? {
        guard let unknown else { return nil }
        let (command, words) = (known.joined(separator: " "), (known.dropFirst() + [unknown]).joined(separator: " "))
        var guess = suggestion.map { "Did you mean `\((known + [$0] + rest).joined(separator: " "))`? " }
        if Self.serverCommands.contains(words) {
            guess = "`espalier \(words)` is a command of the server program. "
        } else if Self.developmentCommands.contains(words) {
            guess = "`espalier-dev \(words)` is a command of the development program. "
        } else if guess == nil, known.count == 1, let path = Self.path(to: unknown, below: Espalierctl.self) {
            guess = "Did you mean `\((known + path + rest).joined(separator: " "))`? "
        }
        return Failure(
            status: .usage, detail: "`\(command)` has no command `\(unknown)`.",
            nextStep: "\(guess ?? "")`\(command) --help` lists its commands.")
    }

    /// The commands of `espalier`, the server program, without the program's name.
    private static let serverCommands: Set = [
        "serve", "migrate", "seed", "audit verify", "usage close", "usage verify", "usage archive", "usage restore", "master-keys",
        "generate-master-key",
    ]

    /// The commands of `espalier-dev`, the development program.
    private static let developmentCommands: Set = ["dev", "simulate-apple"]

    /// The words that lead to a nested command with this name, or with its singular.
    private static func path(to word: String, below command: any ParsableCommand.Type) -> [String]? {
        for next in command.configuration.subcommands where !next.configuration.subcommands.isEmpty {
            if next._commandName == word || "\(next._commandName)s" == word { return [next._commandName] }
            if let path = path(to: word, below: next) { return [next._commandName] + path }
        }
        return nil
    }

    /// The only candidate that starts with the word, or else the nearest spelling.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let longer = candidates.filter { $0.utf8.starts(with: word.utf8) }
        if word.utf8.count >= 3, longer.count == 1 { return longer[0] }
        let nearest = candidates.map { (name: $0, distance: Self.distance(word, $0)) }.min { $0.distance < $1.distance }
        // A third of the letters may be wrong. With more, a suggestion misleads.
        guard let nearest, nearest.distance <= max(1, min(word.utf8.count, nearest.name.utf8.count) / 3) else { return nil }
        return nearest.name
    }

    /// The number of bytes to insert, remove, replace or swap with their neighbor (optimal string alignment).
    static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.utf8.prefix(64)), Array(other.utf8.prefix(64)))
        var table = [Array(0...other.count)]
        for i in one.indices {
            var row = [i + 1]
            for j in other.indices {
                var least = min(table[i][j + 1] + 1, row[j] + 1, table[i][j] + (one[i] == other[j] ? 0 : 1))
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] { least = min(least, table[i - 1][j - 1] + 1) }
                row.append(least)
            }
            table.append(row)
        }
        return table[one.count][other.count]
    }
}
