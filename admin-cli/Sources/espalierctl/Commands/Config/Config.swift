import ArgumentParser
import Foundation

/// `espalierctl config`: manages a person's profiles.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages your profiles: the address, API key and tenant for an installation.",
        discussion: """
            Flags override the environment, the project file and your profile, in this order. The project file is .espalierctl.json in the \
            working directory or above. It may name one of your profiles and a tenant: {"profile": "staging", "tenant": "acme"}. It cannot \
            set the address that receives your API key. A profile's key is sent only to that profile's address.

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

/// The properties of a profile.
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

/// The option for the profile.
struct ConfigOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The profile. By default, the current profile. (environment: ESPALIER_PROFILE)", valueName: "name"))
    var profile: String?

    func name(_ configuration: UserConfiguration) -> String {
        let variable = ProcessInfo.processInfo.environment["ESPALIER_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
        return profile ?? variable ?? configuration.currentProfile ?? UserConfiguration.defaultProfile
    }
}
