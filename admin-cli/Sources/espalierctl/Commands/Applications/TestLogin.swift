import ArgumentParser
import Foundation

/// `espalierctl applications test-login`: runs a test login instead of the application.
struct TestLogin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-login",
        abstract: "Runs a test login, to prove that an application's login works.",
        discussion: """
            Prints an address. Open it in a browser and sign in. The browser then arrives at the application's redirect URI. Paste that \
            address here, even if the page shows an error. espalierctl redeems the code instead of the application. The login is metered \
            like every other login.

            EXAMPLES
              espalierctl applications test-login app_01… --tenant acme \\
                --secret-file shop.secret
            """)

    @Argument(help: ArgumentHelp("The application's ID.", valueName: "id"))
    var application: Reference

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("One of the application's redirect URIs. By default, the first one.", valueName: "uri"))
    var redirectURI: String?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: TestLoginOptions

    func run() async throws {
        let session = try Session(options)
        let client = try session.client()
        let path = try session.path(tenant)
        let secret = try options.clientSecretFile.map { name throws(Failure) in try SecretFile.read(name, of: "client secret file") }
        let application = try await client.send(.get("\(path)/applications/\(application.text)")).json
        guard
            let test = try LoginTest(
                tenant: try await client.send(.get(path)).json, application: application, redirectURI: redirectURI,
                clientSecret: secret?.trimmingCharacters(in: .whitespacesAndNewlines))
        else {
            throw Failure(
                status: .failure,
                detail:
                    "An application of the kind \(application["kind"]?.text ?? "machine") has no redirect URI. No person signs in to it.",
                nextStep: "Pass another application. `espalierctl applications list` shows them with their kinds.")
        }
        guard !LoginTest.hasKey(application) else {
            throw Failure(
                status: .failure, detail: "This application authenticates by private_key_jwt. Only the application has the key.",
                nextStep: "Sign in through the application.")
        }
        guard test.canBeCompleted(application: application) else {
            throw Failure(status: .usage, detail: "This application has a secret.", nextStep: "Pass --secret-file FILE.")
        }
        try Terminal.standardOutput.write(test.url)
        Terminal.standardError.report("Open this address in a browser and sign in.")
        let user = try await test.complete(client, path: path) { () throws(Failure) in
            try Terminal.standardError.writeUnended("Address at which the browser arrives (Enter to stop): ")
            return readLine()?.trimmingCharacters(in: .whitespaces)
        }
        guard user != nil else {
            throw Failure(status: .failure, detail: "The test login was not completed.", nextStep: "Run the command again.")
        }
    }
}

struct TestLoginOptions: CommandOptions {
    @Option(
        name: .customLong("secret-file"),
        help: ArgumentHelp(
            "The file with the application's client secret. Required only if the application has a secret.", valueName: "file"),
        completion: .file())
    var clientSecretFile: String?

    var json: Bool { false }

    @OptionGroup var server: ServerOptions
}
