import ArgumentParser
import Foundation

/// `espalierctl config path`: where the profiles are kept.
struct ShowConfigPath: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Shows where your profiles are kept.",
        discussion: """
            $XDG_CONFIG_HOME/espalierctl/config.json, or below ~/.config. Only you may read it.

            EXAMPLES
              espalierctl config path
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        guard let path = UserConfiguration.file(ProcessInfo.processInfo.environment)?.path(percentEncoded: false) else {
            throw Failure(
                status: .usage, detail: "There is no place for a configuration.", nextStep: "Set HOME, or XDG_CONFIG_HOME to a folder.")
        }
        let json = JSON.object(["path": .string(path)])
        try Terminal.standardOutput.write(output.json ? String(decoding: json.encoded(), as: UTF8.self) : path)
    }
}
