import ArgumentParser
import Foundation

/// `espalierctl config get`: shows a property of a profile.
struct GetConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Shows a property of a profile. For an API key, it shows only the prefix and the last four characters.",
        discussion: """
            EXAMPLES
              espalierctl config get base-url
              espalierctl config get tenant --profile staging
            """)

    @Argument(help: ArgumentHelp("The property.", valueName: "property"))
    var name: ConfigName

    @OptionGroup var options: ConfigOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let configuration = try UserConfiguration.load(ProcessInfo.processInfo.environment)
        let profile = options.name(configuration)
        guard let value = configuration.profiles[profile]?[keyPath: name.property] else {
            throw Failure(
                status: .failure, detail: "Profile \(profile) has no \(name.rawValue).",
                nextStep: "espalierctl config set \(name.rawValue) …")
        }
        let shown = name == .apiKey ? try APIKey(value).hint : value
        let json = JSON.object(["profile": .string(profile), "name": .string(name.rawValue), "value": .string(shown)])
        try Terminal.standardOutput.write(json: output.json ? String(decoding: json.encoded(), as: UTF8.self) : shown, output.jq)
    }
}
