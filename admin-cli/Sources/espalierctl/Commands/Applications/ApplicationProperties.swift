import ArgumentParser

/// The properties that registering and changing an application share.
struct ApplicationProperties: ParsableArguments {
    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("Where its logins return to, to the letter. Repeat it for several.", valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(
        name: .customLong("logout-uri"),
        help: ArgumentHelp("Where its logouts may return to. Repeat it for several.", valueName: "uri"))
    var logoutURIs: [String] = []

    @Option(
        name: .customLong("backchannel-logout-uri"),
        help: ArgumentHelp("Where it is told of sessions that end; https. Nothing ('') removes it.", valueName: "uri"))
    var backchannelLogoutURI: String?

    @Option(
        name: .customLong("bundle-id"),
        help: ArgumentHelp("The bundle id of a native application. Repeat it for several.", valueName: "id"))
    var bundleIDs: [String] = []

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Whether logins must use PKCE. Applications without a secret always must.")
    var pkce: Bool?

    @Option(help: ArgumentHelp("How long an access token lasts: 15m, 1h, or seconds.", valueName: "time"))
    var accessTokenLifetime: Span?

    @Option(help: ArgumentHelp("How long a session lasts at most.", valueName: "time"))
    var sessionLifetime: Span?

    @Option(help: ArgumentHelp("How long a session lasts unused.", valueName: "time"))
    var idleLifetime: Span?

    @Option(help: "What its tokens are signed with.")
    var signingAlgorithm: SigningAlgorithm?

    /// The options by the members that they set, where the names differ.
    static let flags = [
        "redirect_uris": "--redirect-uri", "logout_uris": "--logout-uri", "backchannel_logout_uri": "--backchannel-logout-uri",
        "bundle_ids": "--bundle-id", "requires_pkce": "--pkce", "access_token_seconds": "--access-token-lifetime",
        "session_seconds": "--session-lifetime", "idle_seconds": "--idle-lifetime", "signing_algorithm": "--signing-algorithm",
    ]

    var members: [String: JSON?] {
        [
            "redirect_uris": JSON(redirectURIs), "logout_uris": JSON(logoutURIs),
            "backchannel_logout_uri": backchannelLogoutURI.map { $0.isEmpty ? .null : .string($0) }, "bundle_ids": JSON(bundleIDs),
            "requires_pkce": JSON(pkce), "access_token_seconds": JSON(accessTokenLifetime), "session_seconds": JSON(sessionLifetime),
            "idle_seconds": JSON(idleLifetime), "signing_algorithm": JSON(signingAlgorithm),
        ]
    }
}
