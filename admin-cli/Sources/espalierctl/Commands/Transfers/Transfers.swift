import ArgumentParser

/// `espalierctl connections transfer`: a tenant's users go along when its app goes to another Apple team.
struct Transfers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Takes a tenant's users along when its app goes to another Apple team.",
        discussion: """
            Apple calls the same person by another name in every team. In this order:

              1. collect, with the old team's key, before Apple transfers the app
              2. have Apple transfer the app; create a connection for the new team with the
                 same Services ID, check it, and activate it
              3. exchange, with the new team's key, within Apple's 60 days
              4. report, then close

            Whoever signs in between 2 and 3 is the same user, too. Every step can be interrupted and run again: it goes on where it was.
            Without a step it shows how the transfer stands and which is next; nothing is changed by that.
            """,
        subcommands: [
            CollectTransfer.self, ExchangeTransfer.self, ReportTransfer.self, ListTransfers.self, ShowTransfer.self,
            CloseTransfer.self,
        ],
        defaultSubcommand: ShowTransfer.self)
}

/// One transfer of a tenant.
struct TransferOption: ParsableArguments {
    @Option(help: ArgumentHelp("The transfer's id; needed only when several are open.", valueName: "id"))
    var transfer: Reference?

    @OptionGroup var tenant: TenantOption

    /// The same words again, for a command that is to come next.
    var again: String { (transfer.map { " --transfer \($0.text)" } ?? "") + tenant.again }
}

extension Session {
    /// As in `tenants/acme/transfers/transfer_…`. The only open one needs no name; when none is, it is the last.
    func path(_ option: TransferOption) async throws(Failure) -> String {
        let list = "\(try path(option.tenant))/transfers"
        if let transfer = option.transfer { return "\(list)/\(transfer.text)" }
        guard !options.dryRun else {
            throw Failure(
                status: .usage, detail: "It isn't said which transfer, and a dry run asks nobody.", nextStep: "Name it: --transfer ID.")
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
                    ? "espalierctl connections transfer collect --to-team-id ID\(option.tenant.again) begins one."
                    : "Name one of them: --transfer ID.")
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
