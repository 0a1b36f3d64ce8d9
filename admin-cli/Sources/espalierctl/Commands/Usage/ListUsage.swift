import ArgumentParser

/// `espalierctl usage list`: lists the logins and silent sign-ins of all tenants.
struct ListUsage: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the logins and silent sign-ins of all tenants, newest tenant first.",
        discussion: """
            The range consists of whole days in UTC. By default, it is the current month. The list contains the number of different users \
            only for one month or one day. Requires an operator.

            EXAMPLES
              espalierctl usage list --all
              espalierctl usage list --from 2026-11-01 --to 2026-12-01 --all --json
            """)
    static let view: View? = .usageOfTenant

    @OptionGroup var span: UsageSpan
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("usage", ["from": span.from?.text, "to": span.to?.text])
    }
}
