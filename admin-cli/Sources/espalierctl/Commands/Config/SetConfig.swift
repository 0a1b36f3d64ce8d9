import ArgumentParser
import Foundation

/// `espalierctl config set`: one property of a profile.
struct SetConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Sets a property of a profile, and makes the profile if need be.",
        discussion: """
            Properties: base-url, tenant, api-key, api-key-file. The key itself is never an argument, which everyone on the machine could \
            read: it comes from a file, from the standard input, or is asked for.

            EXAMPLES
              espalierctl config set base-url https://id.example.com
              espalierctl config set api-key
              espalierctl config set api-key --api-key-file - < key.txt
              espalierctl config set api-key-file ~/.secrets/espalier.key \\
                --profile staging
            """)

    @Argument(help: ArgumentHelp("Which property.", valueName: "property"))
    var name: ConfigName

    @Argument(help: "What it is to be; not for api-key.")
    var value: String?

    @Option(help: ArgumentHelp("Where the key for api-key is read, - for the standard input.", valueName: "file"), completion: .file())
    var apiKeyFile: String?

    @OptionGroup var options: ConfigOptions

    func validate() throws {
        switch name {
        case .apiKey where value != nil:
            throw ValidationError("A key is never an argument. Pass --api-key-file FILE (- for the standard input), or answer when asked.")
        case .apiKey: break
        default:
            guard let value, !value.isEmpty else { throw ValidationError("Say what \(name.rawValue) is to be.") }
            if apiKeyFile != nil { throw ValidationError("--api-key-file goes with api-key.") }
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
            // The key was given for the old address.
            configuration.profiles[profile]?.apiKey = nil
            configuration.profiles[profile]?.apiKeyFile = nil
            Terminal.standardError.report("The API key belonged to \(old) and was removed; set it again: espalierctl config set api-key")
        }
        configuration.profiles[profile, default: Profile()][keyPath: name.property] = text
        if configuration.currentProfile == nil { configuration.currentProfile = profile }
        try configuration.save(environment)
        Terminal.standardError.report("Set \(name.rawValue) of profile \(profile).")
    }

    /// The value, fit to be used later.
    private func checked() throws -> String {
        switch name {
        case .baseURL:
            return try Settings.checkedBaseURL(value ?? "").absoluteString
        case .tenant:
            guard let tenant = Reference(argument: value ?? "") else { throw ValidationError("\(value ?? "") is no slug or id.") }
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
                    status: .usage, detail: "Nobody can be asked for the key.",
                    nextStep: "Pass --api-key-file FILE, or --api-key-file - for the standard input.")
            }
            return try APIKey(prompt.secret("API key")).text
        }
    }
}
