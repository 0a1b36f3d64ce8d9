import ArgumentParser
import Foundation

/// `espalierctl login`: signs a person in.
struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Logs you in with your account.",
        discussion: """
            The command opens your browser, where you sign in. In a session over SSH, without a screen, or with --no-browser, it shows an \
            address and a code for another device. Your role decides what you may do.

            The login is in the keyring of your system if secret-tool can use it. Otherwise, it is in credentials.json next to your \
            profiles, which only you can read. An API key in --api-key-file, ESPALIER_API_KEY or the profile takes precedence. The login \
            ends after 30 days without use, after 90 days, with espalierctl logout, or on the page of your account.

            The base URL must be exactly the public URL of the server. For a server on this machine, http://localhost:8080 and \
            http://127.0.0.1:8080 are different.

            EXAMPLES
              espalierctl login --base-url https://id.example.com
              espalierctl login --no-browser
            """)

    @Flag(help: "Shows a code for another device, and opens no browser.")
    var noBrowser = false

    @OptionGroup var server: ServerOptions

    func validate() throws {
        if server.apiKeyFile != nil { throw ValidationError("--api-key-file has no effect on a login. Leave it out.") }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let settings = try server.settings()
        let address = try settings.baseURL()
        let logins = Logins(environment: environment)
        let old = try logins.token(for: address)
        let issuer = try await LoginServer.find(at: address, timeout: Double(server.timeout))
        let token = try await SignIn(server: issuer, browser: noBrowser ? nil : Browser(environment)).token()
        let place = try logins.save(token, for: address)
        if let old, old != token { await issuer.end(old) }
        try rememberAddress(address, environment)
        let name = await Self.name(of: token, at: address, timeout: Double(server.timeout))
        Terminal.standardError.report(
            "Logged in to \(Logins.name(of: address).printable)\(name.map { " as \($0.printable)" } ?? ""). The login is in "
                + (place == .keyring ? "the keyring." : "\((CredentialFile.path(environment) ?? "").printable)."))
        if let source = settings.keySource {
            Terminal.standardError.report(
                "note: The API key of \(source.printable) takes precedence over the login. Remove it to use the login.")
        }
    }

    /// The address or the name of the person with a new login. Nil if the server does not show it, because the login is valid anyway.
    private static func name(of token: LoginToken, at address: URL, timeout: Double) async -> String? {
        var client = APIClient(baseURL: address, credential: CurrentCredential(.login(token)))
        client.timeout = timeout
        guard let caller = try? await client.send(.get("caller")).json else { return nil }
        return (caller["email"] ?? caller["name"])?.string
    }

    /// Sets the address of the profile, if it has none.
    private func rememberAddress(_ address: URL, _ environment: [String: String]) throws(Failure) {
        var configuration = try UserConfiguration.load(environment)
        let name = server.profile ?? configuration.currentProfile ?? UserConfiguration.defaultProfile
        guard configuration.profiles[name]?.baseURL == nil, configuration.profiles[name]?.apiKey == nil,
            configuration.profiles[name]?.apiKeyFile == nil, environment["ESPALIER_BASE_URL"]?.isEmpty ?? true
        else { return }
        configuration.profiles[name, default: Profile()].baseURL = address.absoluteString
        if configuration.currentProfile == nil { configuration.currentProfile = name }
        try configuration.save(environment)
    }
}

extension LoginServer {
    /// Ends a login that was replaced. A failure is ignored, because the new login is already valid.
    func end(_ token: LoginToken) async {
        _ = try? await post(revocationEndpoint, ["token": token.text, "client_id": Self.clientID])
    }
}
