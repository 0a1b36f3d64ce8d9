import ArgumentParser
import Foundation

/// `espalierctl config unset`: removes a property or a profile.
struct UnsetConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset",
        abstract: "Removes a property of a profile, or a whole profile.",
        discussion: """
            EXAMPLES
              espalierctl config unset api-key
              espalierctl config unset --profile staging
            """)

    @Argument(help: ArgumentHelp("The property. Without it, the whole profile is removed.", valueName: "property"))
    var name: ConfigName?

    @OptionGroup var options: ConfigOptions

    func validate() throws {
        if name == nil, options.profile == nil { throw ValidationError("Pass a property, or pass --profile to remove a whole profile.") }
    }

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        var configuration = try UserConfiguration.load(environment)
        let profile = options.name(configuration)
        guard configuration.profiles[profile] != nil else {
            throw Failure(
                status: .usage, detail: "The profile \(profile) does not exist.", nextStep: "List your profiles: espalierctl config list")
        }
        if let name {
            configuration.profiles[profile]?[keyPath: name.property] = nil
        } else {
            configuration.profiles[profile] = nil
            if configuration.currentProfile == profile { configuration.currentProfile = nil }
        }
        try configuration.save(environment)
        Terminal.standardError.report("Removed \(name.map { "\($0.rawValue) of " } ?? "")profile \(profile).")
    }
}
