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
            let arguments = Array(CommandLine.arguments.dropFirst())
            let text: String
            switch Espalier.exitCode(for: error) {
            case .validationFailure: text = CallError.text(for: error, arguments: arguments)
            case .success:
                guard let unknown = CallError.unknown(arguments) else { Espalier.exit(withError: error) }
                text = unknown
            default: Espalier.exit(withError: error)
            }
            // Wrong usage is 2 here, as with most programs, and not sysexits' 64.
            FileHandle.standardError.write(Data((text + "\n").utf8))
            Espalier.exit(withError: ExitCode(2))
        }
    }
}
