import ArgumentParser

/// `espalierctl apple-keys rotate`: a new key is added, proven at Apple and promoted, and the old one lives on for a while.
struct RotateAppleKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Adds a key and lets it sign, with the old one in reserve.",
        discussion: """
            The same as add and promote. Apple is asked before the new key signs; if it refuses, nothing changes. Repeating the command after \
            a failure goes on where it stopped.

            EXAMPLES
              espalierctl apple-keys rotate --tenant acme --key-file AuthKey_F6G7H8I9J0.p8
              espalierctl apple-keys rotate --platform --key-file AuthKey_F6G7H8I9J0.p8 \\
                --overlap 7d
            """)

    @OptionGroup var key: AppleKeyOptions
    @OptionGroup var overlap: OverlapOption
    @OptionGroup var connection: ConnectionOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        try key.requireInput(besides: options.server)
    }

    func run() async throws {
        let session = try Session(options)
        let key = try key.read()
        let connection = try await session.path(connection)
        let list = Call.get("\(connection)/apple-keys")
        func promotion(_ id: String) -> Call {
            .promoteAppleKey("\(connection)/apple-keys/\(id)", of: connection, overlap: overlap.overlap)
        }
        if options.dryRun { return try session.show([.addAppleKey(key, to: connection), promotion("ID")]) }

        let client = try session.client()
        let id = try await add(key, to: connection, known: try await client.all(list), client)
        let reply = try await client.send(promotion(id))
        let keys = try await client.all(list)

        try Terminal.standardOutput.write(options.json ? reply.text : View.appleKey.table(of: keys))
        report(key, keys)
    }

    /// The new key's id: added now, or by an earlier try that got no further.
    private func add(_ key: AppleKeyFile, to connection: String, known: [JSON], _ client: APIClient) async throws -> String {
        let reply: JSON
        if let earlier = known.first(where: { $0["key_id"]?.string == key.keyID }) {
            guard earlier["state"]?.string == "next" else {
                throw Failure(
                    status: .failure, detail: "The key \(key.keyID) is there already, as \(earlier["state"]?.text ?? "another").",
                    nextStep: "Make a new key in Apple's portal, and pass its file.")
            }
            Terminal.standardError.report("The key \(key.keyID) was added before.")
            reply = earlier
        } else {
            reply = try await client.send(.addAppleKey(key, to: connection)).json
            Terminal.standardError.report("Added the key \(key.keyID).")
        }
        guard let id = reply["id"]?.string, let reference = Reference(argument: id) else { throw Failure.shape() }
        return reference.text
    }

    private func report(_ key: AppleKeyFile, _ keys: [JSON]) {
        var lines = ["Logins are signed with \(key.keyID) from now on."]
        if let previous = keys.first(where: { $0["state"]?.string == "previous" }), let old = previous["key_id"]?.text {
            lines += [
                "Until \(previous["usable_until"]?.text ?? "it is retired"), \(old) is in reserve and comes back by itself if Apple refuses the new one.",
                "After that revoke \(old) in Apple's portal. Sooner: espalierctl apple-keys retire \(old)\(connection.again), then revoke it.",
            ]
        }
        for line in lines { Terminal.standardError.report(line.printable) }
    }
}
