import ArgumentParser
import Foundation
import Server

@main
struct Main {
    static func main() async {
        do {
            var command = try Espalier.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            guard Espalier.exitCode(for: error) == .validationFailure else { Espalier.exit(withError: error) }
            // Wrong usage is 2 here, as with most programs, and not sysexits' 64.
            let text = CallError.text(for: error, arguments: Array(CommandLine.arguments.dropFirst()))
            FileHandle.standardError.write(Data((text + "\n").utf8))
            Espalier.exit(withError: ExitCode(2))
        }
    }
}
