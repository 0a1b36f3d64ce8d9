import ArgumentParser

/// `espalierctl audit list`: a tenant's audit events, or the platform's.
struct ListAuditEvents: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists audit events, the newest first.",
        discussion: """
            With --json each has what it was before and after, and the hash that chains it to the one before.

            EXAMPLES
              espalierctl audit list --tenant acme --action rollApplicationSecret
              espalierctl audit list --tenant acme --from 2026-11-01 --to 2026-12-01 \\
                --all --json
              espalierctl audit list --platform \\
                --subject tenant_01jd8x3v6qf9wr2m5tzk7h4c0n
            """)
    static let view: View? = .auditEvent

    @Option(help: ArgumentHelp("Only what this one did, as an API key's id.", valueName: "id"))
    var actor: String?

    @Option(help: ArgumentHelp("Only this action, by its operationId in the API.", valueName: "name"))
    var action: String?

    @Option(help: ArgumentHelp("Only what was done to this one.", valueName: "id"))
    var subject: String?

    @Option(help: ArgumentHelp("The first moment, as 2026-11-01 or 2026-11-01T00:00:00Z.", valueName: "time"))
    var from: Instant?

    @Option(help: ArgumentHelp("The moment to stop before, in the same form.", valueName: "time"))
    var to: Instant?

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get(
            "\(try session.path(owner))/audit-events",
            ["actor": actor, "action": action, "subject": subject, "from": from?.text, "to": to?.text])
    }
}
