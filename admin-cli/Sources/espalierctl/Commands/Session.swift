import Foundation

/// The context of a command: its options, its settings and the terminal.
struct Session {
    let options: any CommandOptions
    let settings: Settings
    let prompt: Prompt

    init(_ options: any CommandOptions) throws(Failure) {
        self.options = options
        settings = try options.server.settings()
        prompt = Prompt(isWanted: !options.noInput)
    }

    func client() throws(Failure) -> APIClient {
        var client = try options.server.client(settings)
        if prompt.isPossible, case .login(let old) = client.credential.value {
            let (address, timeout) = (client.baseURL, client.timeout)
            client.signInAgain = { () async throws(Failure) in try await Self.signInAgain(at: address, replacing: old, timeout: timeout) }
        }
        return client
    }

    /// Signs the person in for a change that needs a recent sign-in.
    private static func signInAgain(at address: URL, replacing old: LoginToken, timeout: Double) async throws(Failure) -> LoginToken {
        let environment = ProcessInfo.processInfo.environment
        Terminal.standardError.report("This change needs a recent sign-in.")
        let server = try await LoginServer.find(at: address, timeout: timeout)
        // Half of the server's limit leaves time for the call.
        let token = try await SignIn(server: server, browser: Browser(environment), longestAge: 300).token()
        _ = try Logins(environment: environment).save(token, for: address)
        await server.end(old)
        return token
    }

    // MARK: Paths

    /// The tenant that the flag, the environment, the project file or the profile names.
    func tenant(_ option: Reference?) throws(Failure) -> String {
        let configured = option == nil ? try settings.tenant() : nil
        guard let tenant = option?.text ?? configured else {
            throw Failure(
                status: .usage, detail: "The tenant is missing.",
                nextStep: "Pass --tenant SLUG, set ESPALIER_TENANT, or run espalierctl config set tenant SLUG.")
        }
        return tenant
    }

    /// The path of the tenant, for example `tenants/acme`.
    func path(_ option: TenantOption) throws(Failure) -> String {
        "tenants/\(try tenant(option.tenant))"
    }

    /// The path of the owner, for example `tenants/acme` or `platform`.
    func path(_ option: OwnerOption) throws(Failure) -> String {
        option.platform ? "platform" : "tenants/\(try tenant(option.tenant))"
    }

    /// The word that confirms a destructive call: the tenant's slug. Nil if only the ID is known.
    func word(_ tenant: Reference?) throws(Failure) -> String? {
        let name = try self.tenant(tenant)
        return name.hasPrefix("tenant_") ? nil : name
    }

    func word(_ option: OwnerOption) throws(Failure) -> String? {
        option.platform ? "platform" : try word(option.tenant)
    }

    /// The path of the connection, for example `tenants/acme/connections/connection_…` or `platform/connection`. If the tenant has only one
    /// connection, the option may be missing.
    func path(_ option: ConnectionOption) async throws(Failure) -> String {
        try await path(connection: option.connection, of: path(option.owner))
    }

    /// The path of an owner's connection.
    /// - Parameter owner: for example `tenants/acme` or `platform`.
    func path(connection: Reference?, of owner: String) async throws(Failure) -> String {
        if owner == "platform" { return "platform/connection" }
        let list = "\(owner)/connections"
        if let connection { return "\(list)/\(connection.text)" }
        guard !options.dryRun else {
            throw Failure(
                status: .usage, detail: "The connection's ID is missing. A dry run does not look it up.",
                nextStep: "Pass the ID (connection_…). `espalierctl connections list` shows it.")
        }
        let ids = try await client().all(.get(list)).compactMap { $0["id"]?.string }
        guard let id = ids.first, ids.count == 1 else {
            throw Failure(
                status: .usage,
                detail: ids.isEmpty
                    ? "The tenant has no connection of its own." : "The tenant has several connections: \(ids.joined(separator: ", ")).",
                nextStep: ids.isEmpty ? "Create one: espalierctl connections create" : "Pass the ID of one of them.")
        }
        return "\(list)/\(id)"
    }

    // MARK: Calls

    /// Prints the calls that a dry run does not send.
    func show(_ calls: [Call]) throws(Failure) {
        if options.json {
            let descriptions = calls.map(\.description)
            let json = descriptions.count == 1 ? descriptions[0] : .array(descriptions)
            return try Terminal.standardOutput.write(json: String(decoding: json.encoded(isPretty: true), as: UTF8.self), options.jq)
        }
        let texts = calls.map { call in
            var lines = ["\(call.method.rawValue) /\(call.target)"]
            if let match = call.description["if_match"] { lines.append("If-Match: \(match.text)") }
            if let body = call.shownBody { lines.append(String(decoding: body.encoded(isPretty: true), as: UTF8.self)) }
            return lines.joined(separator: "\n")
        }
        try Terminal.standardOutput.write(
            texts.joined(separator: "\n\n").split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(
                separator: "\n"))
    }

    /// Requires a confirmation of a destructive call, by flag or at the terminal.
    /// - Returns: the call, with the word as a parameter if the server requires it.
    func confirmed(_ call: Call) throws(Failure) -> Call {
        guard let destruction = call.destruction else { return call }
        let given: String
        if let word = options.confirm {
            given = word
        } else if options.dryRun {
            given = destruction.word ?? "SLUG"
        } else if prompt.isPossible {
            Terminal.standardError.report("This \(destruction.effect).".printable)
            given = try prompt.line(destruction.word.map { "Type \($0) to confirm" } ?? "Type the tenant's slug to confirm")
        } else {
            throw Failure(
                status: .usage, detail: "This \(destruction.effect). It needs a confirmation, and there is no terminal for a prompt.",
                nextStep: "To confirm, pass --confirm=\(destruction.word ?? "SLUG").")
        }
        if let word = destruction.word, !given.isSame(as: word) {
            throw Failure(
                status: .usage,
                detail: "This \(destruction.effect). The confirmation must be \(word), but it is \(given). Nothing changed.",
                nextStep: "To confirm, pass --confirm=\(word).")
        }
        var call = call
        if destruction.isSent { call.query.append(("confirm", given)) }
        return call
    }
}
