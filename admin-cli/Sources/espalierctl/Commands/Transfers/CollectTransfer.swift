import ArgumentParser

/// `espalierctl connections transfer collect`: begins a transfer or goes on with it, and gets everybody's transfer identifier.
struct CollectTransfer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect",
        abstract: "Gets a transfer identifier for every user, with the old team's key.",
        discussion: """
            Begins the transfer, or goes on with the one that is open. Run it before Apple transfers the app, and once more just before: who \
            signed up meanwhile comes along. Ends with 1 when some can't be collected.

            EXAMPLES
              espalierctl connections transfer collect --tenant acme --to-team-id Z9Y8X7W6V5
              espalierctl connections transfer collect --tenant acme --rate 2
              espalierctl connections transfer collect --tenant acme --retry-failed
            """)

    @Option(help: ArgumentHelp("The Team ID of the team that the app goes to; needed to begin.", valueName: "id"))
    var toTeamID: Reference?

    @Option(help: ArgumentHelp("The connection to the team that the app leaves; needed only when the tenant has several.", valueName: "id"))
    var connection: Reference?

    @OptionGroup var pace: TransferPace
    @OptionGroup var transfer: TransferOption
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        let session = try Session(options)
        let tenant = try session.path(transfer.tenant)
        if options.dryRun {
            var calls: [Call] = []
            if transfer.transfer == nil { calls.append(try await creation(session, tenant)) }
            return try session.show(
                calls + [TransferWork.batch(.collect, "\(tenant)/transfers/\(transfer.transfer?.text ?? "ID")", rate: pace.rate)])
        }
        let path: String
        if transfer.transfer != nil {
            path = try await session.path(transfer)
        } else {
            path = "\(tenant)/transfers/\(try await openTransfer(session, tenant))"
        }
        try await session.work(.collect, path, pace, again: transfer.again)
    }

    /// The id of the transfer that is open, or of one that begins now.
    private func openTransfer(_ session: Session, _ tenant: String) async throws -> String {
        let open = try await session.client().all(.get("\(tenant)/transfers")).filter {
            $0["status"] == "open" && (toTeamID == nil || $0["to_team_id"]?.string == toTeamID?.text)
        }
        guard open.count < 2 else {
            throw Failure(
                status: .usage, detail: "Several transfers are open: \(open.compactMap { $0["id"]?.string }.joined(separator: ", ")).",
                nextStep: "Name one of them: --transfer ID.")
        }
        var id = open.first?["id"]?.string
        if id == nil {
            id = try await session.client().send(creation(session, tenant)).json["id"]?.string
            Terminal.standardError.report("The transfer begins.")
        }
        guard let id, let reference = Reference(argument: id) else { throw Failure.shape() }
        return reference.text
    }

    private func creation(_ session: Session, _ tenant: String) async throws -> Call {
        guard let toTeamID else {
            throw Failure(
                status: .usage, detail: "No transfer is open, and it isn't said where the app goes.",
                nextStep: "To begin one, pass --to-team-id ID.")
        }
        let connection = try await leaving(session, tenant)
        return .post("\(tenant)/transfers", ["connection_id": JSON(connection), "to_team_id": JSON(toTeamID.text)])
    }

    /// The id of the connection to the team that the app leaves.
    private func leaving(_ session: Session, _ tenant: String) async throws -> String {
        if connection == nil, !options.dryRun, try await session.client().all(.get("\(tenant)/connections")).isEmpty {
            // A connection of its own would be to another app, and takes users over in another way.
            throw Failure(
                status: .usage,
                detail: """
                    The tenant's users sign in through the platform's shared connection, whose app belongs to all its tenants and is not \
                    transferred.
                    """,
                nextStep: """
                    There is nothing to collect. To move them to an app of your own: espalierctl connections create\(transfer.tenant.again), \
                    then espalierctl connections activate ID --existing-users relink\(transfer.tenant.again)
                    """)
        }
        guard let id = try await session.path(connection: connection, of: tenant).split(separator: "/").last
        else { throw Failure.shape() }
        return String(id)
    }
}
