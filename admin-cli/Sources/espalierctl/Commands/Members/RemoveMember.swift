import ArgumentParser

/// `espalierctl members remove`: ends a membership.
struct RemoveMember: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Ends a membership. The account of the person remains.",
        discussion: """
            The API keys that the member issued stay valid, unless you pass --revoke-api-keys. In a terminal, the command asks if there are \
            such keys.

            EXAMPLES
              espalierctl members remove member_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
              espalierctl members remove member_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --revoke-api-keys --confirm=acme --no-input
            """)

    @Argument(help: ArgumentHelp("The member's ID.", valueName: "id"))
    var member: Reference

    /// The end or the further use of the API keys that the member issued.
    enum IssuedKeys: EnumerableFlag {
        case revoked, kept

        static func name(for value: Self) -> NameSpecification {
            switch value {
            case .revoked: .customLong("revoke-api-keys")
            case .kept: .customLong("no-revoke-api-keys")
            }
        }

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .revoked: "Revokes the API keys that the member issued."
            case .kept: "Keeps the API keys that the member issued, without a question."
            }
        }
    }

    @Flag(exclusivity: .exclusive)
    var issuedKeys: IssuedKeys?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) async throws -> Call {
        let list = "\(try session.path(tenant))/members"
        var call = Call.delete("\(list)/\(member.text)").ifUnchanged(nil, match.ifMatch)
        if try await revokesKeys(session, list) { call.query.append(("revoke_api_keys", "true")) }
        return call.destroying("ends the membership \(member.text)", word: try session.word(tenant.tenant))
    }

    private func revokesKeys(_ session: Session, _ list: String) async throws -> Bool {
        if let issuedKeys { return issuedKeys == .revoked }
        guard session.prompt.isPossible, !options.dryRun else { return false }
        let found = try await session.client().all(.get(list)).first { $0["id"]?.string == member.text }
        guard let count = found?["api_keys"]?.integer, count > 0 else { return false }
        Terminal.standardError.report("This member issued \(counted(String(count), "API key")).")
        return try session.prompt.yes("Revoke", standard: false)
    }

    func note(_ answer: JSON) -> String? {
        "Ended the membership \(member.text)."
    }
}
