import Foundation

// Flags that differ from existing resources. The onboarding never changes them silently. It asks, or names the command for the change.
extension Onboarding {
    /// Asks before it changes the connection or the plan of an existing tenant.
    mutating func settleTenant() async throws {
        if flags.connection == .shared { try settleServing(nil, "the shared connection", "use-shared") }
        let current = tenant["plan"]?.text ?? ""
        if let name = flags.name, let known = tenant["name"]?.string, !known.isSame(as: name) {
            warn("The name of \(slug) stays \(known). Change it: espalierctl tenants update \(slug) --name …")
        }
        if let plan = flags.plan, plan.rawValue != current {
            let question = "  Change the plan of \(slug) from \(current) to \(plan.rawValue)? This changes its prices."
            guard prompt.isPossible, try prompt.yes(question, standard: false) else {
                // The tenant's own credentials need the plan of the flag.
                let choice = flags.connection == .own ? "Change" : "Leave --plan out, or change"
                throw Failure(
                    status: .usage, detail: "The plan of \(slug) is \(current), not \(plan.rawValue). Nothing was changed.",
                    nextStep: "\(choice) the plan first: espalierctl tenants update \(slug) --plan \(plan.rawValue)")
            }
            try await change(plan: plan)
        }
        if flags.connection == .own, tenant["plan"]?.string != Plan.enterprise.rawValue, !prompt.isPossible {
            throw Failure(
                status: .usage, detail: "The plan \(current) of \(slug) does not include a connection of the tenant's own.",
                nextStep: "Change the plan first: espalierctl tenants update \(slug) --plan enterprise")
        }
    }

    /// Asks before another connection replaces the tenant's own serving connection.
    /// - Parameters:
    ///   - id: the ID of the other connection. Nil if it has none.
    ///   - name: the name of the other connection in messages.
    ///   - command: the command below `connections` that switches to it.
    /// - Throws: ``Failure`` if the person does not agree.
    func settleServing(_ id: String?, _ name: String, _ command: String) throws(Failure) {
        guard let serving = tenant["connection_id"]?.string, id != serving else { return }
        let question = "  The tenant's own connection \(serving) serves \(slug). Switch its logins to \(name)?"
        guard prompt.isPossible, try prompt.yes(question, standard: false) else {
            throw Failure(
                status: .usage, detail: "The tenant's own connection \(serving) serves \(slug), not \(name). It was not changed.",
                nextStep: "Change the connection first: espalierctl connections \(command) --tenant \(slug)")
        }
    }

    /// Compares the flags with the existing application.
    /// - Throws: ``Failure`` if the flags describe another application.
    func settleApplication() throws(Failure) {
        let (name, id) = (application["name"]?.text ?? "", application["id"]?.text ?? "")
        let kind = application["kind"]?.text ?? ""
        if let given = flags.applicationKind, given.rawValue != kind {
            throw Failure(
                status: .usage, detail: "\(name) is of the kind \(kind), not \(given.rawValue). A kind never changes.",
                nextStep: "Pass --application-kind \(kind), or another --application-name.")
        }
        let registered = application["redirect_uris"]?.elements?.compactMap(\.string) ?? []
        let missing = flags.redirectURIs.filter { uri in !registered.contains { $0.isSame(as: uri) } }
        guard missing.isEmpty else {
            let all = (registered + missing).map { "--redirect-uri \($0)" }.joined(separator: " ")
            throw Failure(
                status: .usage, detail: "\(name) does not have the redirect URI \(missing.joined(separator: ", ")).",
                nextStep: "Add it: espalierctl applications update \(id) --tenant \(slug) \(all)")
        }
        if let file = flags.options.secretFile, !FileManager.default.fileExists(atPath: SecretFile.expanded(file)) {
            warn(
                LoginTest.hasSecret(application)
                    ? "\(file) was not written, because the secret of \(name) is shown only once. Get another one:"
                        + " espalierctl applications secrets roll \(id) --tenant \(slug) --secret-file \(file)"
                    : "\(file) was not written, because \(name) has no secret.")
        }
    }

    func settleConnection() {
        let id = connection["id"]?.text ?? ""
        let keys = connection["apple_keys"]?.elements?.compactMap { $0["key_id"]?.string } ?? []
        if let key = flags.keyID ?? flags.keyFile.flatMap(AppleKeyFile.keyID(inName:)), !keys.contains(key) {
            warn("The key \(key) was not added. Add it: espalierctl apple-keys rotate --tenant \(slug) --connection \(id) --key-file …")
        }
        for (option, given, member) in [
            ("--bundle-id", flags.properties.bundleIDs, "bundle_ids"), ("--email-source", flags.properties.emailSources, "email_sources"),
        ] where !given.isEmpty && connection[member]?.elements?.compactMap(\.string) != given {
            warn("\(option) was not applied. Apply it: espalierctl connections update \(id) --tenant \(slug) \(option) …")
        }
    }

    private func warn(_ text: String) {
        Terminal.standardError.report("! \(text.printable)")
    }
}
