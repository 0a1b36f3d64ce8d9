import ArgumentParser
import Foundation

/// `espalierctl config use`: the profile for when none is named.
struct UseConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Chooses the profile for when none is named.",
        discussion: """
            EXAMPLES
              espalierctl config use staging
            """)

    @Argument(help: ArgumentHelp("The profile.", valueName: "name"))
    var name: String

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        var configuration = try UserConfiguration.load(environment)
        guard configuration.profiles[name] != nil else {
            throw Failure(
                status: .usage, detail: "There is no profile \(name).", nextStep: "espalierctl config list shows those there are.")
        }
        configuration.currentProfile = name
        try configuration.save(environment)
        Terminal.standardError.report("Profile \(name) is in use.")
    }
}
