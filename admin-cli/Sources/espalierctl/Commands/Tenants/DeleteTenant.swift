import ArgumentParser

/// `espalierctl tenants delete`: the end of a tenant, after 30 days.
struct DeleteTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a tenant; for 30 days it can be restored.",
        discussion: """
            Nobody signs in any more. After 30 days its users, applications, connections and keys are gone for good, and its usage remains as \
            numbers. Operators only.

            EXAMPLES
              espalierctl tenants delete acme
              espalierctl tenants delete acme --confirm=acme --no-input
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug or id.", valueName: "slug"))
    var tenant: Reference

    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("tenants/\(tenant.text)").destroying(
            "deletes the tenant \(tenant.text) with all its users, applications, connections and keys", word: try session.word(tenant),
            isSent: true)
    }

    func note(_ tenant: JSON) -> String? {
        "Until \(tenant["purge_after"]?.text ?? "it is purged") it can be restored: espalierctl tenants restore \(self.tenant.text)"
    }
}
