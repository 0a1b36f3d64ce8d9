import ArgumentParser
import Foundation

/// `espalierctl config path`: shows the file of the profiles.
struct ShowConfigPath: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Shows the path of the file that stores your profiles.",
        discussion: """
            The file is $XDG_CONFIG_HOME/espalierctl/config.json or ~/.config/espalierctl/config.json. Only you may read it.

            EXAMPLES
              espalierctl config path
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        guard let path = UserConfiguration.file(ProcessInfo.processInfo.environment)?.path(percentEncoded: false) else {
            throw Failure(
                status: .usage, detail: "There is no folder for the configuration.", nextStep: "Set HOME or XDG_CONFIG_HOME to a folder.")
        }
        let json = JSON.object(["path": .string(path)])
        try Terminal.standardOutput.write(json: output.json ? String(decoding: json.encoded(), as: UTF8.self) : path, output.jq)
    }
}
