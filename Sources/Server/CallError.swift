package import ArgumentParser

/// The error for an invalid command line, in the format of espalierctl: `error:`, the usage, and `next:`.
package enum CallError {
    /// - Parameter arguments: The command line without the program's name.
    package static func text(
        for error: any Error, arguments: [String], of program: any ParsableCommand.Type = Espalier.self
    ) -> String {
        let (known, unknown) = way(arguments, program)
        if let unknown { return unknown }
        let message = program.message(for: error).split(separator: "\n").joined(separator: " ")
        let usage = program.fullMessage(for: error).split(separator: "\n").first { $0.utf8.starts(with: "Usage: ".utf8) }
        return
            (["error: \(printable(message))"] + (usage.map { ["  u\($0.dropFirst())"] } ?? [])
            + ["next: `\(known) --help` describes every argument."]).joined(separator: "\n")
    }

    /// Returns the text for an unknown command, which ArgumentParser ignores before `--help` and after `help`; nil if all commands
    /// are known.
    package static func unknown(_ arguments: [String], of program: any ParsableCommand.Type = Espalier.self) -> String? {
        way(arguments, program).unknown
    }

    /// Returns the known command words, and the error text for the first unknown command.
    private static func way(_ arguments: [String], _ program: any ParsableCommand.Type) -> (known: String, unknown: String?) {
        var known = program._commandName
        var commands = program.configuration.subcommands
        var words = arguments.prefix { !$0.utf8.starts(with: "-".utf8) }
        while !commands.isEmpty, let word = words.popFirst() {
            if word == "help" { continue }
            guard let next = commands.first(where: { $0._commandName == word }) else {
                let guess = nearest(to: word, in: commands.map { $0._commandName }).map { name in
                    "Did you mean `\(([known, name] + words).map(printable).joined(separator: " "))`? "
                }
                return (
                    known,
                    "error: `\(known)` has no command `\(printable(word))`.\nnext: \(guess ?? "")`\(known) --help` lists its commands."
                )
            }
            known += " \(word)"
            commands = next.configuration.subcommands
        }
        return (known, nil)
    }

    /// A third of the letters may differ. With more, a suggestion misleads.
    private static func nearest(to word: String, in names: [String]) -> String? {
        let nearest = names.map { (name: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        return nearest.flatMap { $0.distance <= max(1, min(word.utf8.count, $0.name.utf8.count) / 3) ? $0.name : nil }
    }

    /// The number of bytes to insert, remove, replace or swap with their neighbor (optimal string alignment).
    private static func distance(_ one: String, _ other: String) -> Int {
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

    /// Without control characters, which could change the terminal.
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}
