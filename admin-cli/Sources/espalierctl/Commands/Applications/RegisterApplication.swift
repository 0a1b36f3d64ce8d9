import ArgumentParser

/// `espalierctl applications register`: a new OAuth client.
struct RegisterApplication: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Registers an application.",
        discussion: """
            Its id is the OAuth client_id. Kinds with a server of their own (web, machine) get a client secret, which is shown once.

            EXAMPLES
              espalierctl applications register --tenant acme --name Shop --kind web \\
                --redirect-uri https://shop.example.com/callback
              espalierctl applications register --tenant acme --name Shop --kind web \\
                --redirect-uri https://shop.example.com/callback \\
                --secret-file shop.secret
              espalierctl applications register --tenant acme --name "Shop for iOS" \\
                --kind native --redirect-uri com.example.shop:/callback \\
                --bundle-id com.example.shop
            """)
    static let view: View? = .application

    @Option(help: "What people call it.")
    var name: String

    @Option(help: "Where it runs.")
    var kind: ApplicationKind

    @OptionGroup var properties: ApplicationProperties
    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: SecretOptions

    func call(_ session: Session) throws -> Call {
        var members = properties.members
        members["name"] = JSON(name)
        members["kind"] = JSON(kind)
        members["redirect_uris"] = JSON(properties.redirectURIs) ?? .array([])
        return .post("\(try session.path(tenant))/applications", members)
    }
}
