import ArgumentParser
import Foundation

/// `espalierctl config`: a person's profiles.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keeps profiles: where Espalier is, and who you are there.",
        discussion: """
            Flags stand before the environment, the environment before the project, and the project before your profile. A project's \
            .espalierctl.json, in the working directory or above, may name a profile of yours and a tenant: {"profile": "staging", \
            "tenant": "acme"}. It can't say where your API key is sent. A profile's key is only sent to that profile's address.

            EXAMPLES
              espalierctl config set base-url https://id.example.com
              espalierctl config set api-key --api-key-file key.txt
              espalierctl config set tenant acme
              espalierctl config set base-url https://staging.example.com \\
                --profile staging
              espalierctl config use staging
            """,
        subcommands: [
            SetConfig.self, GetConfig.self, UnsetConfig.self, ListConfig.self, UseConfig.self, ShowConfigPath.self,
        ])
}

/// What a profile has.
enum ConfigName: String, CaseIterable, ExpressibleByArgument {
    case baseURL = "base-url"
    case tenant
    case apiKey = "api-key"
    case apiKeyFile = "api-key-file"

    var property: WritableKeyPath<Profile, String?> {
        switch self {
        case .baseURL: \.baseURL
        case .tenant: \.tenant
        case .apiKey: \.apiKey
        case .apiKeyFile: \.apiKeyFile
        }
    }
}

/// Which profile is meant.
struct ConfigOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The profile; without it the one in use. (environment: ESPALIER_PROFILE)", valueName: "name"))
    var profile: String?

    func name(_ configuration: UserConfiguration) -> String {
        let variable = ProcessInfo.processInfo.environment["ESPALIER_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
        return profile ?? variable ?? configuration.currentProfile ?? UserConfiguration.defaultProfile
    }
}
