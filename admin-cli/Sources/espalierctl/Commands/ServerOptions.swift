import ArgumentParser
import Foundation

/// Which installation is asked, and as whom. A flag stands over the environment.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where Espalier is. (environment: ESPALIER_BASE_URL)", valueName: "url"))
    var baseURL: String?

    @Option(
        help: ArgumentHelp(
            "A file that holds the API key, or - for the standard input. (environment: ESPALIER_API_KEY, the key itself)",
            valueName: "file"))
    var apiKeyFile: String?

    /// A client for the chosen installation.
    /// - Throws: ``Failure``, when the address or the key is missing or can't be right.
    func client() throws -> APIClient {
        let environment = ProcessInfo.processInfo.environment
        return try APIClient(baseURL: resolvedBaseURL(environment), apiKey: APIKey(file: apiKeyFile, environment: environment))
    }

    /// The address, over TLS unless it is this machine: an API key must not cross a network in the clear.
    private func resolvedBaseURL(_ environment: [String: String]) throws(Failure) -> URL {
        guard let text = baseURL ?? environment["ESPALIER_BASE_URL"], !text.isEmpty else {
            throw Failure(
                status: .usage, detail: "It isn't said where Espalier is.",
                nextStep: "Set ESPALIER_BASE_URL, or pass --base-url https://id.example.com.")
        }
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), let host = url.host(), !host.isEmpty,
            url.user == nil, url.query == nil, url.fragment == nil,
            scheme == "https" || (scheme == "http" && ["localhost", "127.0.0.1"].contains(host))
        else {
            throw Failure(
                status: .usage, detail: "The base URL isn't one to send an API key to.",
                nextStep: "Use https://, or http:// with localhost, and no user, query or fragment.")
        }
        return url
    }
}
