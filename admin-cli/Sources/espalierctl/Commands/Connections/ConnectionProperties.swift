import ArgumentParser

/// The properties that creating and changing a connection share.
struct ConnectionProperties: ParsableArguments {
    @Option(
        name: .customLong("bundle-id"),
        help: ArgumentHelp("The bundle id of a native application of this team. Repeat it for several.", valueName: "id"))
    var bundleIDs: [String] = []

    @Option(
        name: .customLong("email-source"),
        help: ArgumentHelp("A domain or address that writes to users' private relay addresses. Repeat it for several.", valueName: "source")
    )
    var emailSources: [String] = []

    var members: [String: JSON?] {
        ["bundle_ids": JSON(bundleIDs), "email_sources": JSON(emailSources)]
    }
}
