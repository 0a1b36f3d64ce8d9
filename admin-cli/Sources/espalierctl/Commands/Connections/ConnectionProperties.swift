import ArgumentParser

/// The options that `connections create` and `connections update` share.
struct ConnectionProperties: ParsableArguments {
    @Option(
        name: .customLong("bundle-id"),
        help: ArgumentHelp("The bundle ID of a native application of this team. Repeat the option for several.", valueName: "id"))
    var bundleIDs: [String] = []

    @Option(
        name: .customLong("email-source"),
        help: ArgumentHelp(
            "A domain or email address that sends to users' private relay addresses. Repeat the option for several.", valueName: "source")
    )
    var emailSources: [String] = []

    var members: [String: JSON?] {
        ["bundle_ids": JSON(bundleIDs), "email_sources": JSON(emailSources)]
    }
}
