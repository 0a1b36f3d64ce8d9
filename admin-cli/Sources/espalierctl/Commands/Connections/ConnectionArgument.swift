import ArgumentParser

/// One connection, named first: a tenant's, or the platform's shared one.
struct ConnectionArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The connection's id; needed only when the tenant has several.", valueName: "id"))
    var connection: Reference?

    @OptionGroup var owner: OwnerOption

    func validate() throws {
        if owner.platform, connection != nil { throw ValidationError("The platform has one connection; leave its id out.") }
    }

    func path(_ session: Session) async throws(Failure) -> String {
        try await session.path(connection: connection, of: session.path(owner))
    }
}
