import Foundation

// The tenant's first application.
extension Onboarding {
    mutating func findApplication() async throws {
        title("Application")
        if let known = try await knownApplication() {
            application = known
            done("\(known["name"]?.text ?? "") already exists: \(known["id"]?.text ?? "").")
            return try settleApplication()
        }
        if let file = flags.options.secretFile { try SecretFile.checkIsNew(file) }
        if flags.keyFile != nil, flags.connection != .shared {
            try checkKeyFile(besides: try await client.all(.get("\(path)/connections")))
        }
        let name = try answer(flags.applicationName, "Name", refusal: Self.nameRefusal)
        let kind = try chooseKind()
        var redirectURIs = kind == .machine ? [] : try chooseRedirectURIs(kind)
        var reply: Reply
        let file = flags.options.secretFile
        if let file { try SecretFile.create(file) }
        do {
            while true {
                do {
                    reply = try await client.send(
                        .post(
                            "\(path)/applications",
                            ["name": JSON(name), "kind": JSON(kind), "redirect_uris": .array(redirectURIs.map(JSON.string))]))
                    break
                } catch let failure where isOnlyRedirectURI(failure) {
                    // The allowed redirect URIs depend on the kind, and only the server knows all rules.
                    failure.fields.forEach(say)
                    redirectURIs = [try askRedirectURI(kind)]
                }
            }
        } catch {
            if let file { SecretFile.remove(file) }
            throw error
        }
        done("Registered \(name): \(reply.json["id"]?.text ?? "").")
        clientSecret = reply.json["client_secret"]?.string
        try saveSecret(&reply, file)
        application = reply.json
    }

    private func knownApplication() async throws -> JSON? {
        let known = try await client.all(.get("\(path)/applications"))
        if let name = flags.applicationName { return known.first { $0["name"]?.string == name } }
        guard !known.isEmpty, prompt.isPossible else { return nil }
        let choices =
            known.map { (word: $0["name"]?.text ?? "", meaning: $0["id"]?.text ?? "") } + [(word: "new", meaning: "a new application")]
        let index = try prompt.choice("Which application?", choices)
        return index < known.count ? known[index] : nil
    }

    private func chooseKind() throws -> ApplicationKind {
        if let kind = flags.applicationKind { return kind }
        let meanings = ["a server that can store a secret", "a page in the browser", "an app on a device", "a program without users"]
        let choices = zip(ApplicationKind.allCases, meanings).map { (word: $0.rawValue, meaning: $1) }
        return ApplicationKind.allCases[try prompt.choice("Kind:", choices)]
    }

    private func chooseRedirectURIs(_ kind: ApplicationKind) throws(Failure) -> [String] {
        if !flags.redirectURIs.isEmpty { return flags.redirectURIs }
        return [try askRedirectURI(kind)]
    }

    private func askRedirectURI(_ kind: ApplicationKind) throws(Failure) -> String {
        try answer(nil, "Redirect URI (the exact address after a login)") { RedirectURI.refusal(of: $0, kind) }
    }

    /// Whether the server rejected only redirect URIs, and the person can type another one.
    private func isOnlyRedirectURI(_ failure: Failure) -> Bool {
        prompt.isPossible && !failure.fields.isEmpty && failure.fields.allSatisfy { $0.hasPrefix("redirect_uris") }
    }

    /// Writes the secret to its file, or shows it at once. The server does not show it again if a later step fails.
    private func saveSecret(_ reply: inout Reply, _ file: String?) throws {
        if file == nil, let secret = reply.json["client_secret"]?.string { say("Client secret: \(secret)") }
        if let message = try Secret.take(from: &reply, to: file) { say(message) }
        reply.json = reply.json.without("client_secret")
    }
}
