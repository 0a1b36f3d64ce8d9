import ArgumentParser
import Foundation

/// `espalierctl config use`: selects the current profile.
struct UseConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Selects the current profile, which commands use by default.",
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
                status: .usage, detail: "The profile \(name) does not exist.", nextStep: "List your profiles: espalierctl config list")
        }
        configuration.currentProfile = name
        try configuration.save(environment)
        Terminal.standardError.report("\(name) is now the current profile.")
    }
}
