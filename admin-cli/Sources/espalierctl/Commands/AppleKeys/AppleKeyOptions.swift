import ArgumentParser

/// The options for an Apple key that is sent to Espalier.
struct AppleKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file of the private key from Apple (AuthKey_XXXXXXXXXX.p8), or - for the standard input.", valueName: "file"),
        completion: .file(extensions: ["p8"]))
    var keyFile: String

    @Option(help: ArgumentHelp("The Key ID. Required only if the name of the file does not contain it.", valueName: "id"))
    var keyID: String?

    func read() throws(Failure) -> AppleKeyFile {
        try AppleKeyFile(keyFile, keyID: keyID)
    }

    /// Rejects two options that read the standard input, because it can be read only once.
    func requireInput(besides server: ServerOptions) throws {
        if keyFile == "-", server.apiKeyFile == "-" { throw ValidationError("Only one of --key-file and --api-key-file can be -.") }
    }
}

extension Session {
    /// The path of one of a connection's keys, by its ID or Apple's Key ID.
    func path(appleKey key: Reference, of connection: String) async throws(Failure) -> String {
        let list = "\(connection)/apple-keys"
        guard key.text.wholeASCIIMatch(of: #/[A-Z0-9]{10}/#) != nil else { return "\(list)/\(key.text)" }
        guard !options.dryRun else { return "\(list)/\(key.text)" }
        guard let known = try await client().all(.get(list)).first(where: { $0["key_id"]?.string?.isSame(as: key.text) == true }),
            let id = known["id"]?.string
        else {
            throw Failure(
                status: .failure, detail: "The connection has no key \(key.text).",
                nextStep: "List the keys of the connection: espalierctl apple-keys list")
        }
        return "\(list)/\(id)"
    }
}
