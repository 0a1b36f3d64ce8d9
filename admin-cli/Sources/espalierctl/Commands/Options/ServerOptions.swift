import ArgumentParser
import Foundation

/// Where Espalier is and who asks.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The profile to use. (environment: ESPALIER_PROFILE)", valueName: "name"))
    var profile: String?

    @Option(help: ArgumentHelp("Where Espalier is. (environment: ESPALIER_BASE_URL)", valueName: "url"))
    var baseURL: String?

    @Option(
        help: ArgumentHelp(
            "A file that holds the API key, or - for the standard input. (environment: ESPALIER_API_KEY, the key itself)",
            valueName: "file"),
        completion: .file())
    var apiKeyFile: String?

    @Option(help: ArgumentHelp("How long the server may be silent.", valueName: "seconds"))
    var timeout: Int = 30

    func validate() throws {
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout takes 1 to 3600 seconds.") }
    }

    func settings() throws(Failure) -> Settings {
        try Settings(
            .init(profile: profile, baseURL: baseURL, apiKeyFile: apiKeyFile), environment: ProcessInfo.processInfo.environment,
            folder: FileManager.default.currentDirectoryPath)
    }

    /// - Throws: ``Failure``, when the address or the key is missing or can't be right.
    func client(_ settings: Settings) throws(Failure) -> APIClient {
        try APIClient(baseURL: settings.baseURL(), apiKey: settings.apiKey(), timeout: Double(timeout))
    }
}
