import ArgumentParser

/// `espalierctl apple-keys rotate`: adds an Apple key, proves it at Apple and promotes it. The old key stays usable for the overlap.
struct RotateAppleKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Adds an Apple key and promotes it. The old key stays in reserve.",
        discussion: """
            This command combines add and promote. Espalier checks the new key at Apple before the key signs. If Apple rejects it, nothing \
            changes. After a failure, run the command again to continue.

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

        try Terminal.standardOutput.write(json: options.json ? reply.text : View.appleKey.table(of: keys), options.jq)
        report(key, keys)
    }

    /// The new key's ID. The key was added now, or by an earlier run that did not promote it.
    private func add(_ key: AppleKeyFile, to connection: String, known: [JSON], _ client: APIClient) async throws -> String {
        let reply: JSON
        if let earlier = known.first(where: { $0["key_id"]?.string == key.keyID }) {
            guard earlier["state"]?.string == "next" else {
                throw Failure(
                    status: .failure,
                    detail: "The connection already has the key \(key.keyID). Its state is \(earlier["state"]?.text ?? "unknown").",
                    nextStep: "Create a new key in Apple's portal, and pass its file.")
            }
            Terminal.standardError.report("The key \(key.keyID) was already added.")
            reply = earlier
        } else {
            reply = try await client.send(.addAppleKey(key, to: connection)).json
            Terminal.standardError.report("Added the key \(key.keyID).")
        }
        guard let id = reply["id"]?.string, let reference = Reference(argument: id) else { throw Failure.shape() }
        return reference.text
    }

    private func report(_ key: AppleKeyFile, _ keys: [JSON]) {
        var lines = ["\(key.keyID) is now the current key."]
        if let previous = keys.first(where: { $0["state"]?.string == "previous" }), let old = previous["key_id"]?.text {
            lines += [
                "\(old) stays in reserve until \(previous["usable_until"]?.text ?? "it is retired"). It becomes current again automatically if Apple rejects the new key.",
                "Revoke \(old) in Apple's portal after that time. To revoke it earlier, first run: espalierctl apple-keys retire \(old)\(connection.repeated)",
            ]
        }
        for line in lines { Terminal.standardError.report(line.printable) }
    }
}
