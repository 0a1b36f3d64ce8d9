import ArgumentParser

/// `espalierctl domains update`: changes a domain.
struct UpdateDomain: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Makes a domain the tenant's primary one, or switches the old address off.",
        discussion: """
            An exclusive domain switches the tenant's address below the server's public URL off. It responds with 404, and all tokens of \
            its issuer become invalid. First move all applications, resource servers and the values at Apple to the domain. The address \
            stays off if another domain becomes primary.

            Espalier first requests the discovery document at the host, and refuses a host that does not lead to it.

            EXAMPLES
              espalierctl domains update domain_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme \\
                --primary
              espalierctl domains update domain_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme \\
                --primary --exclusive --confirm=acme
            """)
    static let view: View? = .domain

    @Argument(help: ArgumentHelp("The domain's ID.", valueName: "id"))
    var domain: Reference

    @Flag(inversion: .prefixedNo, exclusivity: .exclusive, help: "Makes this domain the primary one, or no longer.")
    var primary: Bool?

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Switches the tenant's address below the server's public URL off, or on again.")
    var exclusive: Bool?

    @Flag(help: "Makes the change even if the server cannot reach the host. First open the host's discovery document yourself.")
    var skipCheck = false

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func validate() throws {
        if exclusive != true, options.confirm != nil { throw ValidationError("--confirm is only for --exclusive.") }
        guard primary != nil || exclusive != nil else { throw ValidationError("Pass --primary or --exclusive.") }
    }

    func call(_ session: Session) throws -> Call {
        let path = "\(try session.path(tenant))/domains/\(domain.text)"
        let change: [String: JSON?] = [
            "is_primary": JSON(primary), "is_exclusive": JSON(exclusive), "skip_check": skipCheck ? JSON(true) : nil,
        ]
        let call = Call.patch(path, change).ifUnchanged(path, match.ifMatch)
        guard exclusive == true else { return call }
        return call.destroying(
            "switches the old address of the tenant \(try session.tenant(tenant.tenant)) off, and makes all tokens of its issuer invalid",
            word: try session.word(tenant.tenant))
    }
}
