import ArgumentParser

/// `espalierctl audit list`: lists the audit events of a tenant or the platform.
struct ListAuditEvents: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists audit events, newest first.",
        discussion: """
            With --json, each event also contains the values before and after the change, and the hash that links it to the previous event.

            EXAMPLES
              espalierctl audit list --tenant acme --action rollApplicationSecret
              espalierctl audit list --tenant acme --from 2026-11-01 --to 2026-12-01 \\
                --all --json
              espalierctl audit list --platform \\
                --subject tenant_01jd8x3v6qf9wr2m5tzk7h4c0n
            """)
    static let view: View? = .auditEvent

    @Option(help: ArgumentHelp("Shows only actions of this actor: an API key's ID.", valueName: "id"))
    var actor: String?

    @Option(help: ArgumentHelp("Shows only this action: its operationId in the API.", valueName: "name"))
    var action: String?

    @Option(help: ArgumentHelp("Shows only actions on the resource with this ID.", valueName: "id"))
    var subject: String?

    @Option(help: ArgumentHelp("The start time (inclusive): 2026-11-01 or 2026-11-01T00:00:00Z.", valueName: "time"))
    var from: Instant?

    @Option(help: ArgumentHelp("The end time (exclusive), in the same form.", valueName: "time"))
    var to: Instant?

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get(
            "\(try session.path(owner))/audit-events",
            ["actor": actor, "action": action, "subject": subject, "from": from?.text, "to": to?.text])
    }
}
