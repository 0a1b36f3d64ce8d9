import ArgumentParser

/// `espalierctl applications register`: registers an application.
struct RegisterApplication: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Registers an application.",
        discussion: """
            The application's ID is the OAuth client_id. Applications of the kinds web and machine receive a client secret, which is shown \
            once.

            --for sets the kind, PKCE and the signing algorithm for a client library. Other options override these values. docs/clients.md \
            lists the values and settings of each library.

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

    @Option(help: "The display name.")
    var name: String

    @Option(help: "The kind of application. Required without --for.")
    var kind: ApplicationKind?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("The client library of the application. Sets the options that this library needs.", valueName: "library"))
    var library: ClientLibrary?

    @OptionGroup var properties: ApplicationProperties
    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: SecretOptions

    func validate() throws {
        guard kind != nil || library != nil else {
            throw ValidationError("Missing expected argument '--kind <kind>'. Pass --kind, or pass --for LIBRARY, which sets the kind.")
        }
        if let library, properties.redirectURIs.isEmpty, kind != .machine {
            let end = library.redirectPath.map { " The redirect URI of \(library.title) ends with \($0)." } ?? ""
            throw ValidationError("Missing expected argument '--redirect-uri <uri>'.\(end)")
        }
    }

    func call(_ session: Session) throws -> Call {
        let kind = self.kind ?? library?.kind
        var members = try properties.members(replacesKeys: false)
        members["name"] = JSON(name)
        members["kind"] = JSON(kind)
        members["redirect_uris"] = JSON(properties.redirectURIs) ?? .array([])
        if let library {
            // Only an application with a secret can be exempt from PKCE.
            let isExempt = kind == .web && !library.usesPKCE
            members["requires_pkce"] = JSON(properties.pkce ?? (isExempt ? false : nil))
            members["signing_algorithm"] = JSON(properties.signingAlgorithm ?? library.signingAlgorithm)
        }
        return .post("\(try session.path(tenant))/applications", members)
    }

    func note(_ answer: JSON) -> String? {
        var lines = [properties.warning].compactMap(\.self)
        guard let library else { return lines.first }
        if let path = library.redirectPath, !properties.redirectURIs.contains(where: library.returns) {
            lines.append("The redirect URI of \(library.title) ends with \(path) by default. Compare it with yours.")
        }
        if let setting = library.setting { lines.append("Set \(setting) in \(library.title).") }
        lines.append("docs/clients.md lists the settings of \(library.title).")
        return lines.joined(separator: " ")
    }
}
