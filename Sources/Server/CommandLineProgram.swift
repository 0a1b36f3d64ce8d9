package import ArgumentParser
import Foundation

/// Runs a program of this package.
package enum CommandLineProgram {
    /// The name of this process's program, for its messages: `espalier` or `espalier-dev`.
    static var name: String { CommandLine.arguments.first.map { URL(filePath: $0).lastPathComponent } ?? "espalier" }

    /// Parses the arguments of this process and runs the command that they name. Wrong usage exits with 2.
    package static func run<Command: ParsableCommand>(_: Command.Type) async {
        do {
            var command = try Command.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let arguments = Array(CommandLine.arguments.dropFirst())
            let text: String
            switch Command.exitCode(for: error) {
            case .validationFailure: text = CallError.text(for: error, arguments: arguments, of: Command.self)
            case .success:
                guard let unknown = CallError.unknown(arguments, of: Command.self) else { Command.exit(withError: error) }
                text = unknown
            default: Command.exit(withError: error)
            }
            // Wrong usage is 2 here, as with most programs, and not 64 of sysexits.
            FileHandle.standardError.write(Data((text + "\n").utf8))
            Command.exit(withError: ExitCode(2))
        }
    }
}
