import ArgumentParser
import Foundation

/// `espalierctl config set`: sets a property of a profile.
struct SetConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Sets a property of a profile. Creates the profile if it does not exist.",
        discussion: """
            Properties: base-url, tenant, api-key, api-key-file. The key itself is never an argument, because every user of the machine \
            could read it. Pass it in a file or on the standard input, or type it at the prompt.

            EXAMPLES
              espalierctl config set base-url https://id.example.com
              espalierctl config set api-key
              espalierctl config set api-key --api-key-file - < key.txt
              espalierctl config set api-key-file ~/.secrets/espalier.key \\
                --profile staging
            """)

    @Argument(help: ArgumentHelp("The property.", valueName: "property"))
    var name: ConfigName

    @Argument(help: "The new value. Not allowed for api-key.")
    var value: String?

    @Option(
        help: ArgumentHelp("The file that contains the API key for the property api-key, or - for the standard input.", valueName: "file"),
        completion: .file())
    var apiKeyFile: String?

    @OptionGroup var options: ConfigOptions

    func validate() throws {
        switch name {
        case .apiKey where value != nil:
            throw ValidationError(
                "An API key is never an argument. Pass --api-key-file FILE (- for the standard input), or type it at the prompt.")
        case .apiKey: break
        default:
            guard let value, !value.isEmpty else { throw ValidationError("The value of \(name.rawValue) is missing.") }
            if apiKeyFile != nil { throw ValidationError("--api-key-file is only for the property api-key.") }
        }
    }

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        var configuration = try UserConfiguration.load(environment)
        let profile = options.name(configuration)
        let text = try checked()
        if name == .baseURL, let old = configuration.profiles[profile]?.baseURL, old != text,
            configuration.profiles[profile]?.apiKey != nil || configuration.profiles[profile]?.apiKeyFile != nil
        {
            // The key belongs to the old address.
            configuration.profiles[profile]?.apiKey = nil
            configuration.profiles[profile]?.apiKeyFile = nil
            Terminal.standardError.report(
                "Removed the API key, because it belongs to \(old). Set the new key: espalierctl config set api-key")
        }
        configuration.profiles[profile, default: Profile()][keyPath: name.property] = text
        if configuration.currentProfile == nil { configuration.currentProfile = profile }
        try configuration.save(environment)
        Terminal.standardError.report("Set \(name.rawValue) of profile \(profile).")
    }

    /// The checked value.
    private func checked() throws -> String {
        switch name {
        case .baseURL:
            return try Settings.checkedBaseURL(value ?? "").absoluteString
        case .tenant:
            guard let tenant = Reference(argument: value ?? "") else { throw ValidationError("\(value ?? "") is not a slug or an ID.") }
            return tenant.text
        case .apiKeyFile:
            let path = URL(filePath: value ?? "").standardizedFileURL.path(percentEncoded: false)
            _ = try APIKey(file: path)
            return path
        case .apiKey:
            if let apiKeyFile { return try APIKey(file: apiKeyFile).text }
            let prompt = Prompt(isWanted: true)
            guard prompt.isPossible else {
                throw Failure(
                    status: .usage, detail: "No terminal for a prompt. The API key is missing.",
                    nextStep: "Pass --api-key-file FILE, or --api-key-file - for the standard input.")
            }
            return try APIKey(prompt.secret("API key")).text
        }
    }
}
