import Foundation

/// The steps of the onboarding, up to a test login. Each step finds an existing resource or creates it.
///
/// Messages go to the standard error. The steps after the tenant are in separate files.
struct Onboarding {
    let flags: OnboardTenant
    let prompt: Prompt
    let client: APIClient
    let interruption: Interruption

    var tenant: JSON = .null
    var application: JSON = .null
    /// The tenant's own connection. Null if the shared connection serves the tenant.
    var connection: JSON = .null
    /// The client secret of the application, if this run registered it. It stays in memory for the test login.
    var clientSecret: String?

    /// The path of the tenant in the API, after the first step.
    var path: String { "tenants/\(tenant["slug"]?.text ?? "")" }
    var slug: String { tenant["slug"]?.text ?? "" }

    mutating func run() async throws -> OnboardingResult {
        try await findTenant()
        interruption.changeHint(to: "Completed steps are saved. To continue: espalierctl tenants onboard \(slug)")
        try await findApplication()
        if try chooseOwnership() == .own {
            try await useOwnConnection()
        } else {
            try await useSharedConnection()
        }
        tenant = try await client.send(.get(path)).json
        return try OnboardingResult(tenant: tenant, application: application, connection: connection, clientSecret: clientSecret)
    }

    // MARK: Tenant

    private mutating func findTenant() async throws {
        title("Tenant")
        let slug = try answer(
            flags.slug?.text, "Slug (lower case; part of its addresses, never changes)", refusal: Self.slugRefusal)
        if let found = try await client.find("tenants/\(slug)") {
            tenant = found
            done("\(slug) already exists: \(found["name"]?.text ?? ""), plan \(found["plan"]?.text ?? "").")
        } else {
            // All values are checked before the tenant is created, because a slug cannot be used again.
            let name = try answer(flags.name, "Name", standard: slug, refusal: Self.nameRefusal)
            let plan = try choosePlan()
            if flags.connection == .own, plan != .enterprise, !prompt.isPossible { throw OnboardTenant.planRefusal(plan) }
            try checkKeyFile(besides: [])
            if let file = flags.options.secretFile { try SecretFile.checkIsNew(file) }
            tenant = try await client.send(.post("tenants", ["slug": JSON(slug), "name": JSON(name), "plan": JSON(plan)])).json
            done("Created \(slug).")
        }
        guard Reference(argument: self.slug) != nil else { throw Failure.shape() }
        guard tenant["status"]?.string == "active" else {
            throw Failure(
                status: .failure, detail: "The tenant \(slug) is \(tenant["status"]?.text ?? "not active").",
                nextStep: "Resume it: espalierctl tenants resume \(slug). If it is deleted, restore it: espalierctl tenants restore \(slug)"
            )
        }
        try await settleTenant()
    }

    private func choosePlan() throws -> Plan {
        if let plan = flags.plan { return plan }
        guard prompt.isPossible else { return .free }
        let meanings = ["", "", "includes the tenant's own credentials at Apple"]
        let choices = zip(Plan.allCases, meanings).map { (word: $0.rawValue, meaning: $1) }
        return Plan.allCases[try prompt.choice("Plan:", choices, standard: flags.connection == .own ? 2 : 0)]
    }

    mutating func change(plan: Plan) async throws {
        tenant = try await client.send(.patch(path, ["plan": JSON(plan)]).ifUnchanged(path)).json
        done("The plan of \(slug) is now \(plan.rawValue).")
    }

    private func chooseOwnership() throws -> OnboardTenant.Ownership {
        title("Connection to Apple")
        if let ownership = flags.connection { return ownership }
        let choices = [
            (word: "shared", meaning: "the platform's credentials, without a setup at Apple"),
            (word: "own", meaning: "the tenant's name on Apple's sheet, with its Team ID, Services ID and key"),
        ]
        return OnboardTenant.Ownership.allCases[try prompt.choice("Connection:", choices)]
    }

    // MARK: Messages

    /// The value of a flag, or the person's answer.
    func answer(
        _ given: String?, _ question: String, standard: String? = nil, refusal: (String) -> String? = { _ in nil }
    ) throws(Failure) -> String {
        if let given { return given }
        return try prompt.line("  \(question)", standard: standard, refusal: refusal)
    }

    func title(_ text: String) {
        Terminal.standardError.report("\n\(text)")
    }

    func done(_ text: String) {
        Terminal.standardError.report("✓ \(text.printable)")
    }

    func say(_ text: String) {
        Terminal.standardError.report("  \(text.printable)")
    }
}

extension APIClient {
    /// The resource at a path. Nil if it does not exist.
    func find(_ path: String) async throws(Failure) -> JSON? {
        do {
            return try await send(.get(path)).json
        } catch let failure where failure.problem?.status == 404 {
            return nil
        }
    }
}
