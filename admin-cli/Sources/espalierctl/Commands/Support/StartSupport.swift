import ArgumentParser

/// `espalierctl support start`: starts a support access.
struct StartSupport: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Starts a support access of a tenant. Its owners get a mail.",
        discussion: """
            Requires an operator who is a person (espalierctl login). Each act during the access has its ID in the tenant's audit trail.

            EXAMPLES
              espalierctl support start --tenant acme --minutes 60 \\
                --reason "Ticket 4711: sign-ins fail since Monday."
            """)
    static let view: View? = .supportAccess

    @Option(help: "The reason, with 10 to 500 characters. The tenant reads it.")
    var reason: String

    @Option(help: "The duration in minutes, from 15 to 480.")
    var minutes = 60

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/support-accesses", ["reason": JSON(reason), "minutes": JSON(minutes)])
    }
}
