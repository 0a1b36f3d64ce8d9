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
            FileHandle.standardError.write(Data((Espalier.fullMessage(for: error) + "\n").utf8))
            Espalier.exit(withError: ExitCode(2))
        }
    }
}
