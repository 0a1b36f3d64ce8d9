import ArgumentParser
import Foundation

/// `espalierctl tenants onboard`: guides a person through the setup of a tenant.
struct OnboardTenant: AsyncParsableCommand {
    enum Ownership: String, CaseIterable, ExpressibleByArgument {
        case shared, own
    }

    static let configuration = CommandConfiguration(
        commandName: "onboard",
        abstract: "Guides you through the setup of a tenant, up to a test login.",
        discussion: """
            The steps are: tenant, application, connection, check at Apple, values for Apple's portal, activation and test login. In a \
            terminal, the command prompts for missing values. Elsewhere, every value must be an option. The command finds and uses existing \
            resources, so you can interrupt it and run it again. If an option differs from an existing resource, the command rejects it, \
            reports it, or asks before it makes the change.

            EXAMPLES
              espalierctl tenants onboard
              espalierctl tenants onboard globex --name Globex --application-name Shop \\
                --application-kind spa \\
                --redirect-uri https://shop.example.com/callback --connection shared \\
                --no-input
              espalierctl tenants onboard acme --name Acme --plan enterprise \\
                --application-name Shop --application-kind web \\
                --redirect-uri https://shop.example.com/callback \\
                --secret-file shop.secret --connection own --team-id A1B2C3D4E5 \\
                --services-id com.example.acme.login --key-file AuthKey_F6G7H8I9J0.p8 \\
                --no-input
            """)

    @Argument(help: ArgumentHelp("The tenant's slug.", valueName: "slug"))
    var slug: Reference?

    @Option(help: "The display name of the tenant.")
    var name: String?

    @Option(help: "The plan. A new tenant has free by default. For an existing tenant, the command asks before the change.")
    var plan: Plan?

    @Option(help: ArgumentHelp("The display name of the application.", valueName: "name"))
    var applicationName: String?

    @Option(help: ArgumentHelp("The kind of application.", valueName: "kind"))
    var applicationKind: ApplicationKind?

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("The exact redirect URI of the application's logins. Repeat the option for several URIs.", valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(help: "The connection to Apple: the platform's shared credentials, or the tenant's own.")
    var connection: Ownership?

    @Option(help: ArgumentHelp("Apple's Team ID: 10 capital letters and digits.", valueName: "id"))
    var teamID: String?

    @Option(help: ArgumentHelp("The Services ID, such as com.example.login.", valueName: "id"))
    var servicesID: String?

    @Option(
        help: ArgumentHelp("The file of the private key from Apple (AuthKey_XXXXXXXXXX.p8).", valueName: "file"),
        completion: .file(extensions: ["p8"]))
    var keyFile: String?

    @Option(help: ArgumentHelp("The Key ID. Required only if the name of the file does not contain it.", valueName: "id"))
    var keyID: String?

    @OptionGroup var properties: ConnectionProperties
    @OptionGroup var users: ExistingUsersOptions
    @OptionGroup var options: OnboardingOptions

    func validate() throws {
        if keyFile == "-", options.server.apiKeyFile == "-" { throw ValidationError("Only one of --key-file and --api-key-file can be -.") }
    }

    func run() async throws {
        let session = try Session(options)
        try rejectInvalidFlags()
        if !session.prompt.isPossible { try requireAll() }
        let client = try session.client()
        let interruption = Interruption(hint: "Completed steps are saved. To continue: espalierctl tenants onboard \(slug?.text ?? "")")
        defer { interruption.end() }
        var onboarding = Onboarding(flags: self, prompt: session.prompt, client: client, interruption: interruption)
        let result: OnboardingResult
        do {
            result = try await onboarding.run()
        } catch var failure as Failure where failure.problem?.code == "invalid" {
            failure.nextStep = "Correct the value and run the command again. It uses the resources that it already created."
            throw failure
        }
        try Terminal.standardOutput.write(
            json: options.json ? String(decoding: result.json.encoded(), as: UTF8.self) : result.text, options.jq)
        if options.json { return }
        var user: String?
        if let test = result.test, test.canBeCompleted(application: result.application), session.prompt.isPossible {
            Terminal.standardError.report("\nOpen the test login in a browser and sign in.")
            user = try await test.complete(client, path: onboarding.path) { () throws(Failure) in
                try session.prompt.optionalLine("Address at which the browser arrives, or Enter to skip")
            }
        }
        Terminal.standardError.report(result.nextSteps(isTested: user != nil))
    }

    /// Reports all missing options before the first change, if there is no terminal for a prompt.
    private func requireAll() throws(Failure) {
        var missing: [String] = []
        func require(_ isGiven: Bool, _ option: String) {
            if !isGiven { missing.append(option) }
        }
        require(slug != nil, "SLUG")
        require(name != nil, "--name")
        require(applicationName != nil, "--application-name")
        require(applicationKind != nil, "--application-kind")
        require(applicationKind == .machine || !redirectURIs.isEmpty, "--redirect-uri")
        if applicationKind == .web || applicationKind == .machine { require(options.secretFile != nil, "--secret-file") }
        require(connection != nil, "--connection")
        if connection == .own {
            require(teamID != nil, "--team-id")
            require(servicesID != nil, "--services-id")
            require(keyFile != nil, "--key-file")
        }
        guard missing.isEmpty else {
            throw Failure(
                status: .usage, detail: "No terminal for a prompt. These options are missing: \(missing.joined(separator: ", ")).",
                nextStep: "Pass every value as a flag, or run the command in a terminal.")
        }
    }
}

struct OnboardingOptions: CommandOptions {
    @Option(
        help: ArgumentHelp(
            "Writes the application's client secret to this new file, which only you can read, instead of showing it.", valueName: "file"),
        completion: .file())
    var secretFile: String?

    @Flag(help: "Never prompts, even in a terminal.")
    var noInput = false

    @Flag(help: "Prints the result as JSON, for programs.")
    var json = false

    @OptionGroup var server: ServerOptions
}
