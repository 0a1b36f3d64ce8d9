import ArgumentParser
import Foundation

/// The options for the address of Espalier and for the API key.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The profile to use. (environment: ESPALIER_PROFILE)", valueName: "name"))
    var profile: String?

    @Option(
        name: [.customLong("base-url"), .customLong("server")],
        help: ArgumentHelp("The address of Espalier. (environment: ESPALIER_BASE_URL)", valueName: "url"))
    var baseURL: String?

    @Option(
        help: ArgumentHelp(
            "The file that contains the API key, or - for the standard input. (environment: ESPALIER_API_KEY, the key itself)",
            valueName: "file"),
        completion: .file())
    var apiKeyFile: String?

    @Option(help: ArgumentHelp("The longest time without data from the server, 1 to 3600 seconds.", valueName: "seconds"))
    var timeout: Int = 30

    func validate() throws {
        guard (1...3600).contains(timeout) else { throw ValidationError("--timeout takes 1 to 3600 seconds.") }
    }

    func settings() throws(Failure) -> Settings {
        try Settings(
            .init(profile: profile, baseURL: baseURL, apiKeyFile: apiKeyFile), environment: ProcessInfo.processInfo.environment,
            folder: FileManager.default.currentDirectoryPath)
    }

    /// The client for these options and settings.
    /// - Throws: ``Failure`` if the address or the credential is missing or invalid.
    func client(_ settings: Settings) throws(Failure) -> APIClient {
        var client = APIClient(baseURL: try settings.baseURL(), credential: CurrentCredential(try settings.credential()))
        client.timeout = Double(timeout)
        if client.credential.isLogin { client.tenant = try settings.tenant() }
        return client
    }
}
