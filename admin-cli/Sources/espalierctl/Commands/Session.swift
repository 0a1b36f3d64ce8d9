import Foundation

/// What a command works with: the installation, the tenant, the person, and the manner of answering.
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
        try options.server.client(settings)
    }

    // MARK: Paths

    /// The tenant as it is named by the flag, the environment, the project or the profile.
    func tenant(_ option: Reference?) throws(Failure) -> String {
        let configured = option == nil ? try settings.tenant() : nil
        guard let tenant = option?.text ?? configured else {
            throw Failure(
                status: .usage, detail: "It isn't said which tenant.",
                nextStep: "Pass --tenant SLUG, or set ESPALIER_TENANT, or espalierctl config set tenant SLUG.")
        }
        return tenant
    }

    /// As in `tenants/acme`.
    func path(_ option: TenantOption) throws(Failure) -> String {
        "tenants/\(try tenant(option.tenant))"
    }

    /// As in `tenants/acme`, or `platform`.
    func path(_ option: OwnerOption) throws(Failure) -> String {
        option.platform ? "platform" : "tenants/\(try tenant(option.tenant))"
    }

    /// The word to repeat before something of theirs is destroyed: the slug. Nil where only an id is known.
    func word(_ tenant: Reference?) throws(Failure) -> String? {
        let name = try self.tenant(tenant)
        return name.hasPrefix("tenant_") ? nil : name
    }

    func word(_ option: OwnerOption) throws(Failure) -> String? {
        option.platform ? "platform" : try word(option.tenant)
    }

    /// As in `tenants/acme/connections/conn_…`, or `platform/connection`. A tenant's only connection needs no name.
    func path(_ option: ConnectionOption) async throws(Failure) -> String {
        try await path(connection: option.connection, of: path(option.owner))
    }

    /// - Parameter owner: as in `tenants/acme`, or `platform`.
    func path(connection: Reference?, of owner: String) async throws(Failure) -> String {
        if owner == "platform" { return "platform/connection" }
        let list = "\(owner)/connections"
        if let connection { return "\(list)/\(connection.text)" }
        guard !options.dryRun else {
            throw Failure(
                status: .usage, detail: "It isn't said which connection, and a dry run asks nobody.", nextStep: "Name the connection's id.")
        }
        let ids = try await client().all(.get(list)).compactMap { $0["id"]?.string }
        guard let id = ids.first, ids.count == 1 else {
            throw Failure(
                status: .usage,
                detail: ids.isEmpty
                    ? "The tenant has no connection of its own." : "The tenant has several connections: \(ids.joined(separator: ", ")).",
                nextStep: ids.isEmpty ? "espalierctl connections create makes one." : "Name one of them.")
        }
        return "\(list)/\(id)"
    }

    // MARK: Calls

    /// Prints what would be sent.
    func show(_ calls: [Call]) throws(Failure) {
        if options.json {
            let descriptions = calls.map(\.description)
            let json = descriptions.count == 1 ? descriptions[0] : .array(descriptions)
            return try Terminal.standardOutput.write(String(decoding: json.encoded(isPretty: true), as: UTF8.self))
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

    /// Makes sure that somebody wants this, by flag or by word.
    /// - Returns: the call, with the word where the server wants to see it.
    func confirmed(_ call: Call) throws(Failure) -> Call {
        guard let destruction = call.destruction else { return call }
        let given: String
        if let word = options.confirm {
            given = word
        } else if options.dryRun {
            given = destruction.word ?? "SLUG"
        } else if prompt.isPossible {
            Terminal.standardError.report("This \(destruction.deed).".printable)
            given = try prompt.line(destruction.word.map { "Type \($0) to go on" } ?? "Type the tenant's slug to go on")
        } else {
            throw Failure(
                status: .usage, detail: "This \(destruction.deed), and nobody can be asked whether it should.",
                nextStep: "If it should, pass --confirm=\(destruction.word ?? "SLUG").")
        }
        if let word = destruction.word, given != word {
            throw Failure(
                status: .usage, detail: "This \(destruction.deed), and \(given) is not \(word). Nothing was done.",
                nextStep: "If it should, pass --confirm=\(word).")
        }
        var call = call
        if destruction.isSent { call.query.append(("confirm", given)) }
        return call
    }
}
