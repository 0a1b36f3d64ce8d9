import ArgumentParser
import Foundation

/// `espalierctl config unset`: a profile without one property.
struct UnsetConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset",
        abstract: "Removes a property of a profile, or the whole profile.",
        discussion: """
            EXAMPLES
              espalierctl config unset api-key
              espalierctl config unset --profile staging
            """)

    @Argument(help: ArgumentHelp("Which property; without it the whole profile.", valueName: "property"))
    var name: ConfigName?

    @OptionGroup var options: ConfigOptions

    func validate() throws {
        if name == nil, options.profile == nil { throw ValidationError("Name a property, or --profile for the whole profile.") }
    }

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        var configuration = try UserConfiguration.load(environment)
        let profile = options.name(configuration)
        guard configuration.profiles[profile] != nil else {
            throw Failure(
                status: .usage, detail: "There is no profile \(profile).", nextStep: "espalierctl config list shows those there are.")
        }
        if let name {
            configuration.profiles[profile]?[keyPath: name.property] = nil
        } else {
            configuration.profiles[profile] = nil
            if configuration.currentProfile == profile { configuration.currentProfile = nil }
        }
        try configuration.save(environment)
        Terminal.standardError.report("Removed \(name?.rawValue ?? "all") of profile \(profile).")
    }
}
