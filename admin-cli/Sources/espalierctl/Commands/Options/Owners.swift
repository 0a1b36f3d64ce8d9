import ArgumentParser

/// Whose things a command is about.
struct TenantOption: ParsableArguments {
    @Option(help: ArgumentHelp("The tenant's slug or id. (environment: ESPALIER_TENANT)", valueName: "slug"))
    var tenant: Reference?

    /// The same words again, for a command that is to come next.
    var again: String { tenant.map { " --tenant \($0.text)" } ?? "" }
}

/// The same, or the platform.
struct OwnerOption: ParsableArguments {
    @Option(help: ArgumentHelp("The tenant's slug or id. (environment: ESPALIER_TENANT)", valueName: "slug"))
    var tenant: Reference?

    @Flag(help: "The platform's own instead of a tenant's; needs an operator's API key.")
    var platform = false

    /// The same words again, for a command that is to come next.
    var again: String { platform ? " --platform" : tenant.map { " --tenant \($0.text)" } ?? "" }

    func validate() throws {
        if platform, tenant != nil { throw ValidationError("Pass --tenant or --platform, not both.") }
    }
}

/// One connection: a tenant's, or the platform's shared one.
struct ConnectionOption: ParsableArguments {
    @Option(help: ArgumentHelp("The connection's id; needed only when the tenant has several.", valueName: "id"))
    var connection: Reference?

    @OptionGroup var owner: OwnerOption

    /// The same words again, for a command that is to come next.
    var again: String { (connection.map { " --connection \($0.text)" } ?? "") + owner.again }

    func validate() throws {
        if owner.platform, connection != nil { throw ValidationError("The platform has one connection; leave --connection out.") }
    }
}

/// An `ETag` the caller has already.
struct MatchOption: ParsableArguments {
    @Option(help: ArgumentHelp("Does it only if the thing still has this ETag.", valueName: "etag"))
    var ifMatch: String?
}
