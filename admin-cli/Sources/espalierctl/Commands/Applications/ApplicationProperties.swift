import ArgumentParser

/// The options that `applications register` and `applications update` share.
struct ApplicationProperties: ParsableArguments {
    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("The exact redirect URI of the application's logins. Repeat the option for several URIs.", valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(
        name: .customLong("logout-uri"),
        help: ArgumentHelp("An allowed redirect URI after a logout. Repeat the option for several URIs.", valueName: "uri"))
    var logoutURIs: [String] = []

    @Option(
        name: .customLong("backchannel-logout-uri"),
        help: ArgumentHelp(
            "The https address that receives a notice of each ended session. An empty value ('') removes it.", valueName: "uri"))
    var backchannelLogoutURI: String?

    @Option(
        name: .customLong("bundle-id"),
        help: ArgumentHelp("The bundle ID of a native application. Repeat the option for several.", valueName: "id"))
    var bundleIDs: [String] = []

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Requires PKCE for logins, or exempts a web application from it. Applications without a secret always require PKCE.")
    var pkce: Bool?

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Requires the scope offline_access for a refresh token. Otherwise, every login gets one, which is the default.")
    var requireOfflineAccess: Bool?

    @Flag(
        name: .customLong("development-uris"), inversion: .prefixedNo, exclusivity: .exclusive,
        help: """
            Allows URIs for development: any port of http://localhost, https://*.preview.example.com for one label, and a native scheme \
            of one label such as myapp:/callback. Do not use it for an application of real users. Not allowed by default.
            """)
    var developmentURIs: Bool?

    @Flag(
        name: .customLong("tokens-in-url"), inversion: .prefixedNo, exclusivity: .exclusive,
        help: """
            Allows the Mushu endpoints to put tokens into the redirect URL. URLs end up in logs. The default is no. Only for the kinds \
            native and spa.
            """)
    var returnsTokensInURL: Bool?

    @Option(help: ArgumentHelp("The lifetime of an access token: 15m, 1h, or seconds. A new application has 1h.", valueName: "time"))
    var accessTokenLifetime: Span?

    @Option(help: ArgumentHelp("The maximum lifetime of a session: 12h, 90d, or seconds. A new application has 90d.", valueName: "time"))
    var sessionLifetime: Span?

    @Option(
        help: ArgumentHelp(
            "The maximum time without use of a session: 12h, 30d, or seconds. A new application has 30d, or its session lifetime if that is shorter.",
            valueName: "time")
    )
    var idleLifetime: Span?

    @Option(help: "The algorithm that signs the application's tokens. A new application has ES256.")
    var signingAlgorithm: SigningAlgorithm?

    /// The options of body members with a different name.
    static let flags = [
        "redirect_uris": "--redirect-uri", "logout_uris": "--logout-uri", "backchannel_logout_uri": "--backchannel-logout-uri",
        "bundle_ids": "--bundle-id", "requires_pkce": "--pkce", "requires_offline_access": "--require-offline-access",
        "allows_development_uris": "--development-uris", "returns_tokens_in_url": "--tokens-in-url",
        "access_token_seconds": "--access-token-lifetime", "session_seconds": "--session-lifetime", "idle_seconds": "--idle-lifetime",
        "signing_algorithm": "--signing-algorithm",
    ]

    var members: [String: JSON?] {
        [
            "redirect_uris": JSON(redirectURIs), "logout_uris": JSON(logoutURIs),
            "backchannel_logout_uri": backchannelLogoutURI.map { $0.isEmpty ? .null : .string($0) }, "bundle_ids": JSON(bundleIDs),
            "requires_pkce": JSON(pkce), "requires_offline_access": JSON(requireOfflineAccess),
            "allows_development_uris": JSON(developmentURIs),
            "returns_tokens_in_url": JSON(returnsTokensInURL),
            "access_token_seconds": JSON(accessTokenLifetime), "session_seconds": JSON(sessionLifetime),
            "idle_seconds": JSON(idleLifetime), "signing_algorithm": JSON(signingAlgorithm),
        ]
    }

    /// The warning after a command that turned on tokens in URLs.
    var warning: String? {
        guard returnsTokensInURL == true else { return nil }
        return """
            warning: Logins of this application at the Mushu endpoints now put their tokens into the redirect URL. URLs end up in the \
            histories of browsers and in the logs of servers. Turn this off with --no-tokens-in-url when no client needs it.
            """
    }
}
