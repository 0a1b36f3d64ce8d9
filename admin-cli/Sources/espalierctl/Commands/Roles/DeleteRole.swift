import ArgumentParser

/// `espalierctl roles delete`: deletes a role.
struct DeleteRole: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a role that no member and no invitation has.",
        discussion: """
            EXAMPLES
              espalierctl roles delete role_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)

    @Argument(help: ArgumentHelp("The role's ID.", valueName: "id"))
    var role: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/roles/\(role.text)").ifUnchanged(nil, match.ifMatch).destroying(
            "deletes the role \(role.text)", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Deleted \(role.text)."
    }
}
