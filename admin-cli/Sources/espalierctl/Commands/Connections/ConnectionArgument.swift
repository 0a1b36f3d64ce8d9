import ArgumentParser

/// The positional argument for a connection: a tenant's own, or the platform's shared one.
struct ConnectionArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The connection's ID. Required only if the tenant has several connections.", valueName: "id"))
    var connection: Reference?

    @OptionGroup var owner: OwnerOption

    func validate() throws {
        if owner.platform, connection != nil { throw ValidationError("The platform has only one connection. Leave its ID out.") }
    }

    func path(_ session: Session) async throws(Failure) -> String {
        try await session.path(connection: connection, of: session.path(owner))
    }
}
