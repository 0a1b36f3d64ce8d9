import ArgumentParser

/// `espalierctl tenants create`: creates a tenant on the shared connection.
struct CreateTenant: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a tenant.",
        discussion: """
            The slug is part of the tenant's issuer and addresses, and never changes. The tenant starts on the shared connection. For a \
            guided setup, use espalierctl tenants onboard. Requires an operator.

            EXAMPLES
              espalierctl tenants create acme --name "Acme GmbH" --plan enterprise
              espalierctl tenants create globex --name Globex --json | jq -r .issuer
            """)
    static let view: View? = .tenant

    @Argument(help: ArgumentHelp("The tenant's slug.", valueName: "slug"))
    var slug: Reference

    @Option(help: "The display name.")
    var name: String

    @Option(help: "The plan.")
    var plan: Plan = .free

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) -> Call {
        .post("tenants", ["slug": JSON(slug.text), "name": JSON(name), "plan": JSON(plan)])
    }

    func note(_ tenant: JSON) -> String? {
        "next: espalierctl applications register --tenant \(slug.text) --name … --kind web --redirect-uri https://…"
    }
}
