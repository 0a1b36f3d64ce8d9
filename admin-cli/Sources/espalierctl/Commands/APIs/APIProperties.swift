import ArgumentParser

/// The options that `apis create` and `apis update` share.
struct APIProperties: ParsableArguments {
    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("A scope that the API understands. Repeat the option for several scopes.", valueName: "scope"))
    var scopes: [String] = []

    @Option(help: ArgumentHelp("The lifetime of an access token: 15m, 1h, or seconds. A new API has 1h.", valueName: "time"))
    var accessTokenLifetime: Span?

    @Option(
        name: .customLong("application"),
        help: ArgumentHelp(
            """
            An application that may request access tokens, with all scopes (app_…) or some (app_…=orders:read,orders:write). Repeat \
            the option for several applications. The list replaces the previous one.
            """, valueName: "application"))
    var applications: [PermittedApplication] = []

    /// The options of body members with a different name.
    static let flags = [
        "scopes": "--scope", "access_token_seconds": "--access-token-lifetime", "applications": "--application",
    ]

    var members: [String: JSON?] {
        [
            "scopes": JSON(scopes), "access_token_seconds": JSON(accessTokenLifetime),
            "applications": applications.isEmpty ? nil : .array(applications.filter { !$0.id.isEmpty }.map(\.json)),
        ]
    }
}

/// An application and, after `=`, its permitted scopes.
struct PermittedApplication: ExpressibleByArgument {
    /// Empty for the option's empty value, which clears the list.
    let id: String
    /// Nil for all scopes.
    let scopes: [String]?

    init?(argument: String) {
        let parts = argument.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 1 || !parts[0].isEmpty else { return nil }
        id = String(Substring(parts[0]))
        scopes =
            parts.count == 1
            ? nil : parts[1].split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
    }

    var json: JSON {
        .object(["id": .string(id), "scopes": scopes.map { .array($0.map(JSON.string)) } ?? .null])
    }
}
