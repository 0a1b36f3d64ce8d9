import ArgumentParser
import Foundation

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
        name: .customLong("frontchannel-logout-uri"),
        help: ArgumentHelp(
            "The https address that browsers load in a frame after a logout. It has the origin of a redirect URI. An empty value ('') removes it.",
            valueName: "uri"))
    var frontchannelLogoutURI: String?

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Adds the issuer and the ID of the session (iss, sid) to the front-channel logout URI, which is the default.")
    var frontchannelLogoutSession: Bool?

    @Option(
        name: .customLong("login-url"),
        help: ArgumentHelp(
            "The https address at which a person starts a sign-in again. Espalier's pages link to it. An empty value ('') removes it.",
            valueName: "url"))
    var loginURL: String?

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

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Accepts only authorization requests that the application pushed before (PAR, RFC 9126). Not required by default.")
    var requirePushedRequests: Bool?

    @Flag(
        name: .customLong("require-dpop"), inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Issues tokens only with a DPoP proof of the application's key (RFC 9449). Not required by default.")
    var requireDPoP: Bool?

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: """
            Allows sign-in on devices without a browser (device grant, RFC 8628). Not allowed by default. Only for the kinds native and web.
            """)
    var deviceGrant: Bool?

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: """
            The application belongs to a third party. A page asks each user once. Not set by default.
            """)
    var thirdParty: Bool?

    @Option(
        name: .customLong("sign-in-page"),
        help: "When users see the tenant's sign-in page before Apple's page: never, on-request, always, or none for the tenant's choice.")
    var signInPage: SignInPageUse?

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Asks a user for whom Apple shared no name, when the user signs in with a browser. Not required by default.")
    var requireName: Bool?

    @Option(
        help: "The authentication of an application with a server: by its secret (default), or by a JWT that it signs with its own key.")
    var authMethod: AuthMethod?

    @Option(
        name: .customLong("jwks-file"),
        help: ArgumentHelp(
            "The file with the public keys of the application, as a JWK set. Required for private_key_jwt without --jwks-uri. '-' reads the standard input.",
            valueName: "file"), completion: .file())
    var keysFile: String?

    @Option(
        name: .customLong("jwks-uri"),
        help: ArgumentHelp("The https address of the application's JWK set, in place of --jwks-file.", valueName: "uri"))
    var keysURI: String?

    func validate() throws {
        if keysFile != nil, keysURI != nil { throw ValidationError("Pass either --jwks-file or --jwks-uri.") }
    }

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
        "frontchannel_logout_uri": "--frontchannel-logout-uri",
        "frontchannel_logout_session_required": "--frontchannel-logout-session",
        "login_url": "--login-url", "bundle_ids": "--bundle-id", "requires_pkce": "--pkce",
        "requires_offline_access": "--require-offline-access",
        "allows_development_uris": "--development-uris", "returns_tokens_in_url": "--tokens-in-url",
        "requires_pushed_requests": "--require-pushed-requests", "requires_dpop": "--require-dpop",
        "allows_device_grant": "--device-grant", "is_third_party": "--third-party",
        "sign_in_page": "--sign-in-page", "requires_name": "--require-name",
        "token_endpoint_auth_method": "--auth-method", "jwks": "--jwks-file", "jwks_uri": "--jwks-uri",
        "access_token_seconds": "--access-token-lifetime", "session_seconds": "--session-lifetime", "idle_seconds": "--idle-lifetime",
        "signing_algorithm": "--signing-algorithm",
    ]

    /// The members of the body, except for the keys in a file.
    var members: [String: JSON?] {
        [
            "token_endpoint_auth_method": JSON(authMethod), "jwks_uri": JSON(keysURI),
            "redirect_uris": JSON(redirectURIs), "logout_uris": JSON(logoutURIs),
            "backchannel_logout_uri": backchannelLogoutURI.map { $0.isEmpty ? .null : .string($0) },
            "frontchannel_logout_uri": frontchannelLogoutURI.map { $0.isEmpty ? .null : .string($0) },
            "frontchannel_logout_session_required": JSON(frontchannelLogoutSession),
            "login_url": loginURL.map { $0.isEmpty ? .null : .string($0) }, "bundle_ids": JSON(bundleIDs),
            "requires_pkce": JSON(pkce), "requires_offline_access": JSON(requireOfflineAccess),
            "allows_development_uris": JSON(developmentURIs),
            "returns_tokens_in_url": JSON(returnsTokensInURL), "requires_pushed_requests": JSON(requirePushedRequests),
            "requires_dpop": JSON(requireDPoP), "allows_device_grant": JSON(deviceGrant),
            "is_third_party": JSON(thirdParty), "sign_in_page": signInPage?.json, "requires_name": JSON(requireName),
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

    /// The members of the body.
    /// - Parameter replacesKeys: whether a new source of keys removes the other one. An application has at most one.
    /// - Throws: ``Failure`` if the file of the keys cannot be read.
    func members(replacesKeys: Bool) throws(Failure) -> [String: JSON?] {
        var members = members
        if let keysFile { members["jwks"] = try Self.keys(in: keysFile) }
        guard replacesKeys else { return members }
        if keysFile != nil { members["jwks_uri"] = JSON.null }
        if keysURI != nil { members["jwks"] = JSON.null }
        return members
    }

    private static func keys(in file: String) throws(Failure) -> JSON {
        let text = try SecretFile.read(file, of: "JWKS file")
        guard let keys = try? JSONDecoder().decode(JSON.self, from: Data(text.utf8)), case .object = keys else {
            throw Failure(
                status: .usage, detail: "The JWKS file \(file) is not a JSON object.",
                nextStep: "Pass a file such as {\"keys\": [{\"kty\": \"EC\", …}]} with public keys only.")
        }
        return keys
    }
}
