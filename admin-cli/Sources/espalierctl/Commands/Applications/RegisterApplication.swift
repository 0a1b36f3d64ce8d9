import ArgumentParser

/// `espalierctl applications register`: a new OAuth client.
struct RegisterApplication: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Registers an application.",
        discussion: """
            Its id is the OAuth client_id. Kinds with a server of their own (web, machine) get a client secret, which is shown once.

            --for sets kind, PKCE and signing algorithm as a client library needs them. Flags override it. docs/clients.md lists \
            what it sets, and the settings of each library.

            EXAMPLES
              espalierctl applications register --tenant acme --name Shop \\
                --for spring-security \\
                --redirect-uri https://shop.example.com/login/oauth2/code/espalier
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
    static let flags = ApplicationProperties.flags

    @Option(help: "What people call it.")
    var name: String

    @Option(help: "Where it runs. Required without --for.")
    var kind: ApplicationKind?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Sets the options that a client library needs.", valueName: "library"))
    var library: ClientLibrary?

    @OptionGroup var properties: ApplicationProperties
    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: SecretOptions

    func validate() throws {
        guard kind != nil || library != nil else {
            throw ValidationError("Missing expected argument '--kind <kind>'. Pass it, or --for LIBRARY, which sets it.")
        }
        if let library, properties.redirectURIs.isEmpty, kind != .machine {
            let end = library.redirectPath.map { " That of \(library.title) ends with \($0)." } ?? ""
            throw ValidationError("Missing expected argument '--redirect-uri <uri>'.\(end)")
        }
    }

    func call(_ session: Session) throws -> Call {
        let kind = self.kind ?? library?.kind
        var members = properties.members
        members["name"] = JSON(name)
        members["kind"] = JSON(kind)
        members["redirect_uris"] = JSON(properties.redirectURIs) ?? .array([])
        if let library {
            // Only a kind with a secret can be exempt.
            let isExempt = kind == .web && !library.usesPKCE
            members["requires_pkce"] = JSON(properties.pkce ?? (isExempt ? false : nil))
            members["signing_algorithm"] = JSON(properties.signingAlgorithm ?? library.signingAlgorithm)
        }
        return .post("\(try session.path(tenant))/applications", members)
    }

    func note(_ answer: JSON) -> String? {
        guard let library else { return nil }
        var lines: [String] = []
        if let path = library.redirectPath, !properties.redirectURIs.contains(where: library.returns) {
            lines.append("The redirect URI of \(library.title) ends with \(path) by default. Compare it with yours.")
        }
        if let setting = library.setting { lines.append("Set \(setting) in \(library.title).") }
        lines.append("docs/clients.md lists the settings of \(library.title).")
        return lines.joined(separator: " ")
    }
}
