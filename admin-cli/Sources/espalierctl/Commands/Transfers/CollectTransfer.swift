import ArgumentParser

/// `espalierctl connections transfer collect`: starts or continues a transfer, and requests a transfer identifier for every user.
struct CollectTransfer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect",
        abstract: "Requests a transfer identifier for every user, with the old team's key.",
        discussion: """
            Starts a transfer, or continues the open one. Run the command well before Apple transfers the app. Run it again just before the \
            transfer, to include new users. The exit code is 1 if some users were not collected.

            EXAMPLES
              espalierctl connections transfer collect --tenant acme \\
                --to-team-id Z9Y8X7W6V5
              espalierctl connections transfer collect --tenant acme --rate 2
              espalierctl connections transfer collect --tenant acme --retry-failed
            """)

    @Option(help: ArgumentHelp("The Team ID of the new team. Required to start a transfer.", valueName: "id"))
    var toTeamID: Reference?

    @Option(
        help: ArgumentHelp(
            "The ID of the connection to the old team. Required only if the tenant has several connections.", valueName: "id"))
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
        try await session.work(.collect, path, pace, repeated: transfer.repeated)
    }

    /// The ID of the open transfer, or of a new one.
    private func openTransfer(_ session: Session, _ tenant: String) async throws -> String {
        let open = try await session.client().all(.get("\(tenant)/transfers")).filter {
            $0["status"] == "open" && (toTeamID == nil || $0["to_team_id"]?.string == toTeamID?.text)
        }
        guard open.count < 2 else {
            throw Failure(
                status: .usage, detail: "Several transfers are open: \(open.compactMap { $0["id"]?.string }.joined(separator: ", ")).",
                nextStep: "Pass the ID of one of them: --transfer ID")
        }
        var id = open.first?["id"]?.string
        if id == nil {
            id = try await session.client().send(creation(session, tenant)).json["id"]?.string
            Terminal.standardError.report("Started the transfer.")
        }
        guard let id, let reference = Reference(argument: id) else { throw Failure.shape() }
        return reference.text
    }

    private func creation(_ session: Session, _ tenant: String) async throws -> Call {
        guard let toTeamID else {
            throw Failure(
                status: .usage, detail: "No transfer is open, and the new team is missing.",
                nextStep: "To start a transfer, pass --to-team-id ID.")
        }
        let connection = try await oldConnection(session, tenant)
        return .post("\(tenant)/transfers", ["connection_id": JSON(connection), "to_team_id": JSON(toTeamID.text)])
    }

    /// The ID of the connection to the old team.
    private func oldConnection(_ session: Session, _ tenant: String) async throws -> String {
        if connection == nil, !options.dryRun, try await session.client().all(.get("\(tenant)/connections")).isEmpty {
            // The tenant's own connection would use another app. Users move to it with relink.
            throw Failure(
                status: .usage,
                detail: """
                    The tenant's users sign in through the platform's shared connection. All its tenants share one app, which is not \
                    transferred.
                    """,
                nextStep: """
                    To move the users to your own app, run espalierctl connections create\(transfer.tenant.repeated), \
                    then espalierctl connections activate ID --existing-users relink\(transfer.tenant.repeated)
                    """)
        }
        guard let id = try await session.path(connection: connection, of: tenant).split(separator: "/").last
        else { throw Failure.shape() }
        return String(id)
    }
}
