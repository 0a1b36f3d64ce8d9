import ArgumentParser
import Foundation

/// `espalierctl tenants onboard`: leads a person through all that a tenant needs.
struct OnboardTenant: AsyncParsableCommand {
    enum Ownership: String, CaseIterable, ExpressibleByArgument {
        case shared, own
    }

    static let configuration = CommandConfiguration(
        commandName: "onboard",
        abstract: "Leads through everything a tenant needs, up to a test login.",
        discussion: """
            Tenant, application, connection, the check at Apple, what to type into Apple's portal, activation, and a link to try it. What isn't \
            given is asked for in a terminal; elsewhere everything must be given. What is there already is found and used, so that \
            the command can be interrupted and run again. A flag that differs from what is there is refused or reported, and never \
            applied without a question.

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

    @Option(help: "What people call the tenant.")
    var name: String?

    @Option(help: "The plan. For an existing tenant, it is changed only after a question.")
    var plan: Plan?

    @Option(help: ArgumentHelp("What people call the application.", valueName: "name"))
    var applicationName: String?

    @Option(help: ArgumentHelp("Where the application runs.", valueName: "kind"))
    var applicationKind: ApplicationKind?

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("Where the application's logins return to. Repeat it for several.", valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(help: "Whose credentials at Apple serve it.")
    var connection: Ownership?

    @Option(help: ArgumentHelp("Apple's Team ID: 10 letters and digits.", valueName: "id"))
    var teamID: String?

    @Option(help: ArgumentHelp("The Services ID, such as com.example.login.", valueName: "id"))
    var servicesID: String?

    @Option(
        help: ArgumentHelp("The private key that Apple gave you (AuthKey_XXXXXXXXXX.p8).", valueName: "file"),
        completion: .file(extensions: ["p8"]))
    var keyFile: String?

    @Option(help: ArgumentHelp("Its Key ID; needed only when the file's name doesn't say it.", valueName: "id"))
    var keyID: String?

    @OptionGroup var properties: ConnectionProperties
    @OptionGroup var users: ExistingUsersOptions
    @OptionGroup var options: OnboardingOptions

    func validate() throws {
        if keyFile == "-", options.server.apiKeyFile == "-" { throw ValidationError("Only one of --key-file and --api-key-file can be -.") }
    }

    func run() async throws {
        let session = try Session(options)
        try refuseWrongFlags()
        if !session.prompt.isPossible { try requireAll() }
        let client = try session.client()
        let interruption = Interruption(saying: "Nothing is lost. To go on: espalierctl tenants onboard \(slug?.text ?? "")")
        defer { interruption.end() }
        var onboarding = Onboarding(flags: self, prompt: session.prompt, client: client, interruption: interruption)
        let result: OnboardingResult
        do {
            result = try await onboarding.run()
        } catch var failure as Failure where failure.problem?.code == "invalid" {
            failure.nextStep = "Run the command again with what it takes: what was made is kept, and found."
            throw failure
        }
        try Terminal.standardOutput.write(options.json ? String(decoding: result.json.encoded(), as: UTF8.self) : result.text)
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

    /// Where nobody can be asked, what is missing is said before anything is made.
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
                status: .usage, detail: "Nobody can be asked, and this isn't given: \(missing.joined(separator: ", ")).",
                nextStep: "Give everything by flags, or run it in a terminal.")
        }
    }
}

struct OnboardingOptions: CommandOptions {
    @Option(
        help: ArgumentHelp(
            "Writes the application's client secret to a new file that only you can read, instead of showing it.", valueName: "file"),
        completion: .file())
    var secretFile: String?

    @Flag(help: "Asks nothing, even in a terminal.")
    var noInput = false

    @Flag(help: "Prints what there is in the end as JSON, for programs.")
    var json = false

    @OptionGroup var server: ServerOptions
}
