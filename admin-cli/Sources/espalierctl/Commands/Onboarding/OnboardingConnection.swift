import Foundation

// The tenant's connection to Apple: the shared one, or its own. The onboarding checks its own connection, shows the values for Apple's
// portal and activates the connection.
extension Onboarding {
    /// The person's earlier answers. A correction offers them as defaults.
    private struct Credentials {
        var teamID: String?
        var servicesID: String?
        var keyFile: String?
        var keyID: String?
    }

    mutating func useSharedConnection() async throws {
        // A flag was already checked before the first change.
        if flags.connection == nil { try settleServing(nil, "the shared connection", "use-shared") }
        if tenant["connection_id"] != nil { try await activate("\(path)/shared-connection/activate") }
        connection = .null
        done("The shared connection now serves \(slug).")
    }

    mutating func useOwnConnection() async throws {
        try await offerPlan()
        let known = try await knownConnection()
        if let id = known?["id"]?.text {
            try settleServing(id, "the connection \(id)", "activate \(id)")
        } else {
            try settleServing(nil, "a new connection", "create")
        }
        if let known {
            connection = known
            done("The connection already exists: team \(known["team_id"]?.text ?? ""), \(known["services_id"]?.text ?? "").")
            settleConnection()
            let given = Credentials(teamID: known["team_id"]?.string, servicesID: known["services_id"]?.string, keyFile: flags.keyFile)
            try await check(given, isNew: false)
        } else {
            try await check(try await create(nil), isNew: true)
        }
        try await promoteWhereNeeded()
        try registerAtApple()
        if connection["serving"] != .bool(true) { try await activate("\(try connectionPath())/activate") }
        connection = try await client.send(.get(try connectionPath())).json
        done("The tenant's own connection now serves \(slug).")
    }

    private func connectionPath() throws(Failure) -> String {
        guard let id = connection["id"]?.string, let reference = Reference(argument: id) else { throw .shape() }
        return "\(path)/connections/\(reference.text)"
    }

    private mutating func offerPlan() async throws {
        let plan = tenant["plan"]?.text ?? ""
        guard plan != Plan.enterprise.rawValue, prompt.isPossible else { return }
        say("The plan of \(slug) is \(plan). The tenant's own credentials need the plan enterprise, which has other prices.")
        guard try prompt.yes("  Change the plan to enterprise?") else {
            throw Failure(
                status: .failure, detail: "The plan \(plan) of \(slug) does not include a connection of the tenant's own.",
                nextStep: "Run the command again and choose the shared connection. It uses the existing tenant and application.")
        }
        try await change(plan: .enterprise)
    }

    // MARK: Creating

    /// Checks the file of `--key-file` before the first change. An existing connection does not need the file.
    /// - Parameter known: the tenant's connections.
    func checkKeyFile(besides known: [JSON]) throws(Failure) {
        // The standard input can be read only once.
        guard let name = flags.keyFile, name != "-", flags.connection != .shared else { return }
        let isThere = known.contains { connection in
            [("team_id", flags.teamID), ("services_id", flags.servicesID)].allSatisfy { $1 == nil || connection[$0]?.string == $1 }
        }
        if isThere { return }
        // A prompt asks for the Key ID later if neither the name of the file nor a flag contains it.
        if prompt.isPossible, flags.keyID == nil, AppleKeyFile.keyID(inName: name) == nil {
            guard let reason = AppleKeyFile.refusal(name) else { return }
            throw Failure(status: .usage, detail: reason, nextStep: "Correct --key-file.")
        }
        _ = try AppleKeyFile(name, keyID: flags.keyID)
    }

    private func knownConnection() async throws -> JSON? {
        let known = try await client.all(.get("\(path)/connections"))
        if let teamID = flags.teamID, let servicesID = flags.servicesID {
            return known.first { $0["team_id"]?.string == teamID && $0["services_id"]?.string == servicesID }
        }
        guard !known.isEmpty, prompt.isPossible else { return nil }
        let choices =
            known.map { (word: $0["services_id"]?.text ?? "", meaning: "team \($0["team_id"]?.text ?? "")") }
            + [(word: "new", meaning: "other credentials")]
        let index = try prompt.choice("Which connection?", choices)
        return index < known.count ? known[index] : nil
    }

    /// Creates the connection from the flags and the person's answers.
    /// - Parameter old: the earlier answers, if they need a correction.
    private mutating func create(_ old: Credentials?) async throws -> Credentials {
        var old = old
        while true {
            let (credentials, call) = try collect(old)
            do {
                connection = try await client.send(call).json
                done("Created the connection. The private key is sealed and never leaves Espalier.")
                return credentials
            } catch {
                // The server rejects malformed values at once. The person can type them again.
                guard prompt.isPossible, [400, 422].contains(error.problem?.status) else { throw error }
                Terminal.standardError.report(error)
                old = credentials
            }
        }
    }

    /// Asks for the missing values. A correction asks for all values, with the earlier answers as defaults.
    private func collect(_ old: Credentials?) throws -> (Credentials, Call) {
        let isCorrection = old != nil
        let teamID = try answer(
            isCorrection ? nil : flags.teamID, "Team ID (Apple's portal, Membership)", standard: old?.teamID, refusal: Self.teamIDRefusal)
        let servicesID = try answer(
            isCorrection ? nil : flags.servicesID, "Services ID (Apple's portal, Identifiers)", standard: old?.servicesID,
            refusal: Self.servicesIDRefusal)
        var file = isCorrection ? nil : flags.keyFile
        var keyID = isCorrection ? nil : flags.keyID
        while true {
            // The file is checked before the prompt for the Key ID.
            let name = try answer(file, "Key file (AuthKey_XXXXXXXXXX.p8)", standard: old?.keyFile, refusal: AppleKeyFile.refusal)
            do {
                if keyID == nil, AppleKeyFile.keyID(inName: name) == nil, prompt.isPossible {
                    keyID = try prompt.line("  Key ID (Apple's portal, Keys)", standard: old?.keyID)
                }
                let key = try AppleKeyFile(name, keyID: keyID)
                let call = Call.createConnection(
                    in: "\(path)/connections", teamID: teamID, servicesID: servicesID, key: key, properties: flags.properties)
                return (Credentials(teamID: teamID, servicesID: servicesID, keyFile: name, keyID: key.keyID), call)
            } catch {
                guard prompt.isPossible else { throw error }
                say("\(error.detail) \(error.nextStep)")
                (file, keyID) = (nil, nil)
            }
        }
    }

    // MARK: Checking

    /// Checks the connection until Apple accepts it. After each failure, the person can correct it.
    ///
    /// A new connection shows the result of its creation. An existing connection is checked again.
    private mutating func check(_ given: Credentials, isNew: Bool) async throws {
        title("Check at Apple")
        var credentials = given
        var report = isNew ? connection["check"].map(CheckReport.init) : nil
        while true {
            let latest: CheckReport
            if let report {
                latest = report
            } else {
                latest = CheckReport(json: try await client.send(.post("\(try connectionPath())/check")).json)
            }
            try Terminal.standardError.writeUnended(latest.text(isColored: Terminal.standardError.isColored))
            guard let failure = latest.failure else { return }
            // A serving connection is never deleted, even if a step failed.
            guard prompt.isPossible, connection["serving"] != .bool(true) else { throw failure }
            let choices = [
                (word: "correct", meaning: "enter other credentials"), (word: "again", meaning: "check again"),
                (word: "later", meaning: "stop here, and continue later with the same command"),
            ]
            switch try prompt.choice(
                "Apple does not accept the connection yet. Next step:", choices, standard: latest.outcome == "unreachable" ? 1 : 0)
            {
            case 0:
                // The connection has no logins yet, so it can be deleted.
                let path = try connectionPath()
                _ = try await client.send(.delete(path).ifUnchanged(path))
                credentials = try await create(credentials)
                report = connection["check"].map(CheckReport.init)
            case 1:
                report = nil
            default:
                throw failure
            }
        }
    }

    /// Promotes the key if Apple was unreachable when the connection was created, and accepts the key now.
    private mutating func promoteWhereNeeded() async throws {
        connection = try await client.send(.get(try connectionPath())).json
        let keys = connection["apple_keys"]?.elements ?? []
        guard !keys.contains(where: { $0["state"]?.string == "current" }),
            let id = keys.first(where: { $0["state"]?.string == "next" })?["id"]?.string, let key = Reference(argument: id)
        else { return }
        let path = try connectionPath()
        _ = try await client.send(.promoteAppleKey("\(path)/apple-keys/\(key.text)", of: path, overlap: Span(seconds: 0)))
        connection = try await client.send(.get(path)).json
    }

    // MARK: Registering and activating

    private func registerAtApple() throws {
        guard let portal = connection["apple_portal"] else { throw Failure.shape() }
        title("Enter these exact values in Apple's portal")
        Terminal.standardError.report(
            """
              https://developer.apple.com/account/resources/identifiers/list/serviceId
              \((connection["services_id"]?.text ?? "").printable), Sign in with Apple, Configure:

            """)
        for line in try View.applePortal.details(of: portal).split(separator: "\n") { say(String(line)) }
        for line in try View.ownHostsAtApple(portal).split(separator: "\n") { say(String(line)) }
        if prompt.isPossible, connection["serving"] != .bool(true) {
            try prompt.pause("\n  Press Enter after you have saved the values. ")
        }
    }

    /// Activates a connection. The person chooses the treatment of existing users.
    private func activate(_ path: String) async throws {
        do {
            _ = try await client.send(.post(path, flags.users.members))
        } catch let failure {
            guard failure.problem?.status == 409, flags.users.existingUsers == nil, prompt.isPossible
            else { throw flags.users.advice(for: failure) }
            say(failure.detail)
            let choices = [
                (word: "new-users", meaning: "people become new users at their next login"),
                (word: "relink", meaning: "for 30 days, a login with a verified email address continues as the existing user"),
            ]
            let choice = ExistingUsers.allCases[try prompt.choice("Existing users:", choices)]
            _ = try await client.send(.post(path, ["existing_users": JSON(choice.wire)]))
        }
    }
}
