import ArgumentParser

/// `espalierctl tenants create`: a new tenant, at first on the shared connection.
struct CreateTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a tenant.",
        discussion: """
            The slug becomes part of the tenant's issuer and of its addresses, and never changes. The tenant starts on the shared connection. \
            Operators only. To be led through everything a tenant needs, use espalierctl tenants onboard.

            EXAMPLES
              espalierctl tenants create acme --name "Acme GmbH" --plan enterprise
              espalierctl tenants create globex --name Globex --json | jq -r .issuer
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug.", valueName: "slug"))
    var slug: Reference

    @Option(help: "What people call it.")
    var name: String

    @Option(help: "What it pays for.")
    var plan: Plan = .free

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) -> Call {
        .post("tenants", ["slug": JSON(slug.text), "name": JSON(name), "plan": JSON(plan)])
    }

    func note(_ tenant: JSON) -> String? {
        "next: espalierctl applications register --tenant \(slug.text) --name … --kind web --redirect-uri https://…"
    }
}
