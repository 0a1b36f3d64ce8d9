package import Access
package import ClientKeys
import Encoding
package import Foundation
package import Postgres
package import Sealing

/// A tenant's software. Its ID is the OAuth `client_id`.
package struct Application: Identified, Sendable {
    package static let idPrefix = "app"

    package enum Kind: String, Codable, CaseIterable, SQLValue {
        /// Runs on a server, which can protect a secret.
        case web
        /// Runs in a browser.
        case spa
        /// Runs on a phone or a desktop.
        case native
        /// A program without sign-in of users.
        case machine

        /// Whether it can protect a secret (RFC 6749, section 2.1).
        package var isConfidential: Bool { self == .web || self == .machine }
    }

    /// The algorithm that signs its id_tokens and access tokens (RFC 7518, section 3.1).
    package enum SigningAlgorithm: String, Codable, CaseIterable, SQLValue {
        case ES256, RS256
    }

    /// How it authenticates at the endpoints that it calls directly (RFC 7591, section 2).
    package enum AuthMethod: String, Codable, CaseIterable {
        /// A public application sends only its ID.
        case onlyID = "none"
        /// Its secret, in the header or in the form (`client_secret_post`).
        case secret = "client_secret_basic"
        /// A JWT that it signs with its own key (OpenID Connect Core, section 9).
        case privateKey = "private_key_jwt"

        package static func `default`(for kind: Kind) -> AuthMethod { kind.isConfidential ? .secret : .onlyID }
    }

    package let id: ID<Application>
    package let kind: Kind
    package var name: String
    package var redirectURIs: [String]
    /// The permitted destinations of a browser after a logout.
    package var logoutURIs: [String] = []
    /// The URI that receives the end of its users' sessions (OpenID Connect Back-Channel Logout).
    package var backchannelLogoutURI: String?
    /// The URI that a browser loads in a frame after a logout (OpenID Connect Front-Channel Logout).
    package var frontchannelLogoutURI: String?
    /// Whether this URI gets the issuer and the ID of the session.
    package var hasFrontchannelSession = true
    /// Where a person starts a sign-in again (OpenID Connect Core, section 4: `initiate_login_uri`).
    package var loginURL: String?
    /// The login URL for a page with the tenant's look. Nil for an application of a third party, because it may have chosen it itself.
    package var loginURLOnPages: String? { isThirdParty ? nil : loginURL }
    /// The bundle IDs of a native application at Apple.
    package var bundleIDs: [String] = []
    /// Always true for public applications.
    package var requiresPKCE = true
    /// Whether a login gets a refresh token only with the scope `offline_access` (OpenID Connect Core, section 11).
    package var requiresOfflineAccess = false
    /// Whether it may have URIs for development, and `http://localhost` with any port.
    package var allowsDevelopmentURIs = false
    /// Whether the compatibility endpoints may put the tokens of a login into the URL of the redirect. URLs end up in logs, so it is an
    /// explicit choice of a public application.
    package var returnsTokensInURL = false
    /// Whether an authorization request must have been pushed before (RFC 9126, section 6).
    package var requiresPushedRequests = false
    /// Whether it gets tokens only with a proof of its key (RFC 9449, section 5.2).
    package var requiresDPoP = false
    /// Whether it may sign users in on a device without a browser (RFC 8628).
    package var allowsDeviceGrant = false
    /// Whether it belongs to a third party. It then gets nothing before the user has allowed it.
    package var isThirdParty = false
    /// When its users see the tenant's sign-in page. Nil for the tenant's choice.
    package var signInPage: SignInPageUse?
    /// Whether it needs the name of its users. A page asks a user without one.
    package var requiresName = false
    package var authMethod: AuthMethod
    /// The public keys that it has registered.
    package var keys: PublicKeySet?
    /// The URL at which it publishes its public keys. It has at most one of both.
    package var jwksURI: String?
    package var accessTokenSeconds = Self.defaultAccessTokenSeconds
    /// The maximum lifetime of a session, and its maximum time without a refresh.
    package var sessionSeconds = Self.defaultSessionSeconds
    package var idleSeconds = Self.defaultIdleSeconds
    package var signingAlgorithm = SigningAlgorithm.ES256
    package let createdAt: Date
    package var updatedAt: Date
    /// One secret of a confidential application, or two during a roll. Only logins read this.
    package var secrets: [Secret] = []

    /// The limit of redirect URIs, and of logout URIs.
    package static let mostURIs = 100
    package static let defaultAccessTokenSeconds = 3600
    package static let defaultSessionSeconds = 90 * 86400
    package static let defaultIdleSeconds = 30 * 86400

    /// A keyed digest of a secret, with the end of its validity.
    package struct Secret: Sendable {
        package let id: ID<ApplicationSecret>
        package let digest: [UInt8]
        /// Whether the row is the one that the digest was issued for.
        package let binding: Keyring.Binding
        package let expiresAt: Date?
    }

    /// A new application with default settings.
    package init(_ id: ID<Application>, kind: Kind, name: String, redirectURIs: [String], at now: Date) {
        (self.id, self.kind, self.name, self.redirectURIs, createdAt, updatedAt) = (id, kind, name, redirectURIs, now, now)
        authMethod = .default(for: kind)
    }

    package init(_ row: Row) throws {
        id = try row.get("id")
        kind = try row.get("kind")
        name = try row.get("name")
        redirectURIs = try row.get("redirect_uris")
        logoutURIs = try row.get("logout_uris")
        backchannelLogoutURI = try row.get("backchannel_logout_uri")
        frontchannelLogoutURI = try row.get("frontchannel_logout_uri")
        hasFrontchannelSession = try row.get("frontchannel_logout_session_required")
        loginURL = try row.get("login_url")
        bundleIDs = try row.get("bundle_ids")
        requiresPKCE = try row.get("requires_pkce")
        requiresOfflineAccess = try row.get("requires_offline_access")
        allowsDevelopmentURIs = try row.get("allows_development_uris")
        returnsTokensInURL = try row.get("returns_tokens_in_url")
        requiresPushedRequests = try row.get("requires_pushed_requests")
        requiresDPoP = try row.get("requires_dpop")
        allowsDeviceGrant = try row.get("allows_device_grant")
        isThirdParty = try row.get("is_third_party")
        signInPage = try row.get("sign_in_page")
        requiresName = try row.get("requires_name")
        authMethod = try row.get("token_endpoint_auth_method", as: String?.self).flatMap(AuthMethod.init) ?? .default(for: kind)
        keys = try row.get("jwks", as: JSON?.self).flatMap { try? PublicKeySet(JSONValue(json: $0.bytes)) }
        jwksURI = try row.get("jwks_uri")
        accessTokenSeconds = try row.get("access_token_seconds")
        sessionSeconds = try row.get("session_seconds")
        idleSeconds = try row.get("idle_seconds")
        signingAlgorithm = try row.get("signing_algorithm")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    /// - Parameter secrets: the secrets of all applications of the tenant. The initializer selects its own.
    package init(_ row: Row, secrets: [ID<Application>: [Secret]]) throws {
        try self.init(row)
        self.secrets = secrets[id] ?? []
    }

    /// Whether the redirect URI of a request is registered. The comparison is byte by byte. The port of a loopback address is the only
    /// exception, because the application chooses it (RFC 8252, section 7.3). With `allowsDevelopmentURIs`, this includes the port of
    /// `localhost`, and a wildcard matches one label.
    package func mayRedirect(to uri: String) -> Bool {
        isRegistered(uri, redirectURIs)
    }

    /// Whether the redirect URI of a request for tokens in the URL (`returnsTokensInURL`) is registered. Here, the name `localhost` has a
    /// free port, too, because command-line clients listen there on any port.
    package func mayReceiveTokens(at uri: String) -> Bool {
        redirectURIs.contains { one in
            !DevelopmentURI.hasWildcard(one) && (one.isSame(as: uri) || RedirectURI.isSameLoopback(one, uri, allowsName: true))
        }
    }

    /// The same check for the destination after a logout (OpenID Connect RP-Initiated Logout, section 3).
    package func mayReturnAfterLogout(to uri: String) -> Bool {
        isRegistered(uri, logoutURIs)
    }

    private func isRegistered(_ uri: String, _ registered: [String]) -> Bool {
        registered.contains { one in
            if DevelopmentURI.hasWildcard(one) { return allowsDevelopmentURIs && DevelopmentURI.isSameExceptLabel(one, uri) }
            return one.isSame(as: uri) || RedirectURI.isSameLoopback(one, uri, allowsName: allowsDevelopmentURIs)
        }
    }

    /// Whether one of these registered URIs would match a requested one if the application had `allowsDevelopmentURIs`.
    package func lacksDevelopmentURIs(for uri: String, in registered: [String]) -> Bool {
        !allowsDevelopmentURIs && registered.contains { RedirectURI.isSameLoopback($0, uri, allowsName: true) }
    }
}

// MARK: Rows

extension Application {
    package static func all(ofTenantWithSlug slug: String) -> SQL {
        """
        SELECT a.id, a.kind, a.name, a.redirect_uris, a.logout_uris, a.backchannel_logout_uri, a.frontchannel_logout_uri,
            a.frontchannel_logout_session_required, a.login_url, a.bundle_ids, a.requires_pkce,
            a.requires_offline_access, a.allows_development_uris, a.returns_tokens_in_url, a.requires_pushed_requests, a.requires_dpop,
            a.allows_device_grant, a.is_third_party, a.sign_in_page, a.requires_name, a.token_endpoint_auth_method, a.jwks, a.jwks_uri,
            a.access_token_seconds, a.session_seconds, a.idle_seconds, a.signing_algorithm, a.created_at, a.updated_at
        FROM application a JOIN tenant t ON t.id = a.tenant_id WHERE t.slug = \(slug)
        """
    }

    package static func secrets(ofTenantWithSlug slug: String) -> SQL {
        """
        SELECT s.application_id, s.id, s.digest, s.bound_digest, s.expires_at
        FROM application_secret s JOIN tenant t ON t.id = s.tenant_id
        WHERE t.slug = \(slug) ORDER BY s.id DESC
        """
    }

    package static func slugOfTenant(of id: ID<Application>) -> SQL {
        "SELECT t.slug, t.id FROM application a JOIN tenant t ON t.id = a.tenant_id WHERE a.id = \(id)"
    }

    package static func find(_ id: ID<Application>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, kind, name, redirect_uris, logout_uris, backchannel_logout_uri, frontchannel_logout_uri,
            frontchannel_logout_session_required, login_url, bundle_ids, requires_pkce,
            requires_offline_access, allows_development_uris, returns_tokens_in_url, requires_pushed_requests, requires_dpop,
            allows_device_grant, is_third_party, sign_in_page, requires_name, token_endpoint_auth_method, jwks, jwks_uri,
            access_token_seconds, session_seconds, idle_seconds, signing_algorithm, created_at, updated_at
        FROM application WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    /// Like `find`, and locks the application for a transaction that changes it or its secrets.
    static func lock(_ id: ID<Application>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, kind, name, redirect_uris, logout_uris, backchannel_logout_uri, frontchannel_logout_uri,
            frontchannel_logout_session_required, login_url, bundle_ids, requires_pkce,
            requires_offline_access, allows_development_uris, returns_tokens_in_url, requires_pushed_requests, requires_dpop,
            allows_device_grant, is_third_party, sign_in_page, requires_name, token_endpoint_auth_method, jwks, jwks_uri,
            access_token_seconds, session_seconds, idle_seconds, signing_algorithm, created_at, updated_at
        FROM application WHERE tenant_id = \(tenant) AND id = \(id) FOR UPDATE
        """
    }

    package func insert(tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO application (tenant_id, id, kind, name, redirect_uris, logout_uris, backchannel_logout_uri, frontchannel_logout_uri,
            frontchannel_logout_session_required, login_url, bundle_ids,
            requires_pkce, requires_offline_access, allows_development_uris, returns_tokens_in_url, requires_pushed_requests,
            requires_dpop, allows_device_grant, is_third_party, sign_in_page, requires_name, token_endpoint_auth_method, jwks, jwks_uri, access_token_seconds, session_seconds, idle_seconds, signing_algorithm, created_at, updated_at)
        VALUES (\(tenant), \(id), \(kind), \(name), \(redirectURIs), \(logoutURIs), \(backchannelLogoutURI), \(frontchannelLogoutURI),
            \(hasFrontchannelSession), \(loginURL), \(bundleIDs),
            \(requiresPKCE), \(requiresOfflineAccess), \(allowsDevelopmentURIs), \(returnsTokensInURL), \(requiresPushedRequests),
            \(requiresDPoP), \(allowsDeviceGrant), \(isThirdParty), \(signInPage), \(requiresName), \(storedMethod), \(storedKeys), \(jwksURI), \(accessTokenSeconds), \(sessionSeconds), \(idleSeconds), \(signingAlgorithm),
            \(createdAt), \(updatedAt))
        """
    }

    /// Only a method that is not the default of the kind. A server of an older version leaves the column empty.
    private var storedMethod: String? { authMethod == .default(for: kind) ? nil : authMethod.rawValue }
    private var storedKeys: JSON? { keys.map { JSON(bytes: $0.json) } }

    func update(tenant: ID<Tenant>) -> SQL {
        """
        UPDATE application SET name = \(name), redirect_uris = \(redirectURIs), logout_uris = \(logoutURIs),
            backchannel_logout_uri = \(backchannelLogoutURI), frontchannel_logout_uri = \(frontchannelLogoutURI),
            frontchannel_logout_session_required = \(hasFrontchannelSession), login_url = \(loginURL), bundle_ids = \(bundleIDs), requires_pkce = \(requiresPKCE),
            requires_offline_access = \(requiresOfflineAccess), allows_development_uris = \(allowsDevelopmentURIs),
            returns_tokens_in_url = \(returnsTokensInURL), requires_pushed_requests = \(requiresPushedRequests),
            requires_dpop = \(requiresDPoP), allows_device_grant = \(allowsDeviceGrant), is_third_party = \(isThirdParty),
            sign_in_page = \(signInPage), requires_name = \(requiresName), token_endpoint_auth_method = \(storedMethod), jwks = \(storedKeys), jwks_uri = \(jwksURI),
            access_token_seconds = \(accessTokenSeconds), session_seconds = \(sessionSeconds), idle_seconds = \(idleSeconds),
            signing_algorithm = \(signingAlgorithm), updated_at = \(updatedAt)
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }
}
