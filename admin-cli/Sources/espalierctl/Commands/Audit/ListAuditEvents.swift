import ArgumentParser

/// `espalierctl audit list`: lists the audit events of a tenant or the platform.
struct ListAuditEvents: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists audit events, newest first.",
        discussion: """
            A person and an API key have their names in the table, if you may list members and API keys. With --json, each event also contains the values \
            before and after the change, and the hash that links it to the previous event.

            EXAMPLES
              espalierctl audit list --tenant acme --action rollApplicationSecret
              espalierctl audit list --tenant acme --actor grace@example.com
              espalierctl audit list --tenant acme --actor "Grace Hopper"
              espalierctl audit list --tenant acme --from 2026-11-01 --to 2026-12-01 \\
                --all --json
              espalierctl audit list --platform \\
                --subject tenant_01jd8x3v6qf9wr2m5tzk7h4c0n
            """)
    static let view: View? = .auditEvent

    @Option(
        help: ArgumentHelp(
            """
            Shows only actions of this actor: an ID, or the name or the email address of a person. For the operator of a support access, \
            pass the name.
            """, valueName: "actor"))
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

    func call(_ session: Session) async throws -> Call {
        let path = try session.path(owner)
        let actor = try await Actors.id(of: actor, path, session)
        return .get(
            "\(path)/audit-events",
            ["actor": actor, "action": action, "subject": subject, "from": from?.text, "to": to?.text])
    }

    func completed(_ answer: JSON, _ session: Session, _ client: APIClient) async throws(Failure) -> JSON {
        options.json ? answer : await Actors.named(in: answer, try session.path(owner), client)
    }
}
