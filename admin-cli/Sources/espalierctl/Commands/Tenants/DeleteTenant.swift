import ArgumentParser

/// `espalierctl tenants delete`: deletes a tenant. The deletion is permanent after 30 days.
struct DeleteTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a tenant. It can be restored for 30 days.",
        discussion: """
            Users can no longer sign in. After 30 days, the tenant's users, applications, connections and keys are permanently deleted. Its \
            usage remains as numbers. Requires an operator.

            EXAMPLES
              espalierctl tenants delete acme
              espalierctl tenants delete acme --confirm=acme --no-input
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug or ID.", valueName: "slug"))
    var tenant: Reference

    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("tenants/\(tenant.text)").destroying(
            "deletes the tenant \(tenant.text) with all its users, applications, connections and keys", word: try session.word(tenant),
            isSent: true)
    }

    func note(_ tenant: JSON) -> String? {
        "To restore the tenant before \(tenant["purge_after"]?.text ?? "the purge"): espalierctl tenants restore \(self.tenant.text)"
    }
}
