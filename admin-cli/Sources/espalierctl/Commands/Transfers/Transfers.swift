import ArgumentParser

/// `espalierctl connections transfer`: moves a tenant's users when its app moves to another Apple team.
struct Transfers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Moves a tenant's users when its app moves to another Apple team.",
        discussion: """
            Apple's identifier of a person differs in every team. Run these steps in order:

              1. collect, with the old team's key, before Apple transfers the app
              2. transfer the app at Apple; create a connection for the new team with the
                 same Services ID, check it, and activate it
              3. exchange, with the new team's key, within Apple's 60 days
              4. report, then close

            People who sign in between steps 2 and 3 also stay the same users. You can interrupt every step. Run it again to continue.
            Without a step, the command shows the state of the transfer and the next step, and changes nothing.
            """,
        subcommands: [
            CollectTransfer.self, ExchangeTransfer.self, ReportTransfer.self, ListTransfers.self, ShowTransfer.self,
            CloseTransfer.self,
        ],
        defaultSubcommand: ShowTransfer.self)
}

/// The option for a tenant's transfer.
struct TransferOption: ParsableArguments {
    @Option(help: ArgumentHelp("The transfer's ID. Required only if several transfers are open.", valueName: "id"))
    var transfer: Reference?

    @OptionGroup var tenant: TenantOption

    /// The same options, for the next command in a message.
    var repeated: String { (transfer.map { " --transfer \($0.text)" } ?? "") + tenant.repeated }
}

extension Session {
    /// The path of the transfer, for example `tenants/acme/transfers/transfer_…`. Without the option, it is the only open transfer, or the
    /// last one if no transfer is open.
    func path(_ option: TransferOption) async throws(Failure) -> String {
        let list = "\(try path(option.tenant))/transfers"
        if let transfer = option.transfer { return "\(list)/\(transfer.text)" }
        guard !options.dryRun else {
            throw Failure(
                status: .usage, detail: "The transfer's ID is missing. A dry run does not look it up.",
                nextStep: "Pass the ID: --transfer ID")
        }
        let transfers = try await client().all(.get(list))
        let open = transfers.filter { !["closing", "closed"].contains($0["status"]?.string) }
        guard open.count < 2, let id = (open.first ?? transfers.first)?["id"]?.string else {
            throw Failure(
                status: .usage,
                detail: transfers.isEmpty
                    ? "The tenant has no transfer."
                    : "Several transfers are open: \(open.compactMap { $0["id"]?.string }.joined(separator: ", ")).",
                nextStep: transfers.isEmpty
                    ? "Start one: espalierctl connections transfer collect --to-team-id ID\(option.tenant.repeated)"
                    : "Pass the ID of one of them: --transfer ID")
        }
        return "\(list)/\(id)"
    }
}

extension View {
    static let transfer = View(
        .init("ID", "id"),
        .init("From", "from_team_id"),
        .init("To", "to_team_id"),
        .init("Services ID", "services_id").detail,
        .init("Status", "status"),
        .init("Pending", "users.pending").number,
        .init("Collected", "users.collected").number,
        .init("Moved", "users.moved").number,
        .init("Failed", "users.failed").number,
        .init("Closes", "closes_at").optional,
        .init("Closed", "closed_at").detail.optional,
        .init("Created", "created_at").detail,
        .init("Updated", "updated_at").detail)

    static let transferUser = View(
        .init("User", "user_id"),
        .init("State", "state"),
        .init("Reason", "reason").optional,
        .init("Moved by", "moved_by").optional,
        .init("Since", "updated_at"))
}
