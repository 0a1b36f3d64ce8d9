import ArgumentParser

/// The tenant of a command.
struct TenantOption: ParsableArguments {
    @Option(help: ArgumentHelp("The tenant's slug or ID. (environment: ESPALIER_TENANT)", valueName: "slug"))
    var tenant: Reference?

    /// The same options, for the next command in a message.
    var repeated: String { tenant.map { " --tenant \($0.text)" } ?? "" }
}

/// The owner of a command's resources: a tenant or the platform.
struct OwnerOption: ParsableArguments {
    @Option(help: ArgumentHelp("The tenant's slug or ID. (environment: ESPALIER_TENANT)", valueName: "slug"))
    var tenant: Reference?

    @Flag(help: "Uses the platform's resources instead of a tenant's. Requires an operator.")
    var platform = false

    /// The same options, for the next command in a message.
    var repeated: String { platform ? " --platform" : tenant.map { " --tenant \($0.text)" } ?? "" }

    func validate() throws {
        if platform, tenant != nil { throw ValidationError("Pass --tenant or --platform, not both.") }
    }
}

/// The connection of a command: a tenant's own, or the platform's shared one.
struct ConnectionOption: ParsableArguments {
    @Option(help: ArgumentHelp("The connection's ID. Required only if the tenant has several connections.", valueName: "id"))
    var connection: Reference?

    @OptionGroup var owner: OwnerOption

    /// The same options, for the next command in a message.
    var repeated: String { (connection.map { " --connection \($0.text)" } ?? "") + owner.repeated }

    func validate() throws {
        if owner.platform, connection != nil { throw ValidationError("The platform has only one connection. Leave --connection out.") }
    }
}

/// An `ETag` that the caller read earlier.
struct MatchOption: ParsableArguments {
    @Option(help: ArgumentHelp("Makes the change only if the resource still has this ETag.", valueName: "etag"))
    var ifMatch: String?
}
