import ArgumentParser

/// `espalierctl support end`: ends a support access.
struct EndSupport: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "Ends a support access. All servers refuse it within 1 second.",
        discussion: """
            EXAMPLES
              espalierctl support end support_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .supportAccess

    @Argument(help: ArgumentHelp("The ID of the support access.", valueName: "id"))
    var support: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/support-accesses/\(support.text)/end")
    }
}
