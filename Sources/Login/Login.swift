package import Apple
package import Foundation
package import Hummingbird
package import Logging
package import Postgres
package import Sealing
package import Tenancy
package import Web

/// Here and below, an application is a tenant's; the framework has a type of that name too.
typealias Application = Tenancy.Application

/// Turns a sign-in with Apple into a session of ours, and keeps it as long as the user, the tenant and Apple let it last.
///
///     application → GET  /t/{tenant}/oauth2/authorize     Authorize       client, redirect URI, PKCE: from memory
///                 → 302  Apple                            LoginAttempt    sealed into `state`, tied to the browser by a cookie
///     Apple       → POST …/auth/apple/callback            AppleCallback   verify, redeem at Apple, keep the user
///                 → 303  redirect_uri                     AuthorizationCode  sealed, one minute
///     application → POST /t/{tenant}/oauth2/token         RedeemCode      session and usage event, one transaction
///                 → 200  tokens                           RefreshTokens   from then on
///
/// An application on a device needs no browser: it brings what Apple's framework gave it to the callback, or to the token endpoint,
/// and gets tokens at once (SignInNatively).
///
/// Attempt and code are values that only this installation can open, not rows: a stranger who starts a
/// million logins writes nothing. What must last is written before the browser leaves us: the name,
/// which Apple sends once, at the callback; the bill, together with the session it is for.
///
/// A session ends by its time, or before it: by the application (RevokeToken), the user (Logout, DeleteOwnUser), whoever runs the tenant
/// (RevokeSession, DeleteUser) or Apple's word (ReceiveNotification). However that comes, its row says why, resource servers hear of
/// it (ListRevocations), and after the commit the outbox tells the application (DeliverLogoutToken); where a user is deleted, Apple
/// is told, too (RevokeAtApple).
package struct Login: Sendable {
    let pool: DatabasePool
    let directory: TenantDirectory
    let signingKeys: SigningKeys
    let apple: AppleClient
    let keyring: Keyring
    let lastUsed: LastUsed
    /// How often unauthenticated callers may fail.
    let limits: RequestLimits
    let publicURL: String
    /// Whether logout tokens may go into private networks and do without TLS: for development.
    let allowsPrivateWebhooks: Bool
    /// By id_token, how often Apple may still be asked.
    let codeTries = SingleUse.codeTries
    /// How often Apple may still be asked, per attempt in a browser.
    let callbackTries = LoginAttempt.callbackTries
    let spent = SpentCredentials()
    let metrics: Metrics
    let logger: Logger
    let now: @Sendable () -> Date

    /// - Parameters:
    ///   - publicURL: where browsers and Apple reach this server, without a slash at its end.
    ///   - now: the time, which tests set.
    package init(
        pool: DatabasePool, directory: TenantDirectory, signingKeys: SigningKeys, apple: AppleClient, keyring: Keyring,
        lastUsed: LastUsed, limits: RequestLimits, publicURL: String, allowsPrivateWebhooks: Bool = false, metrics: Metrics, logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.directory, self.signingKeys, self.apple) = (pool, directory, signingKeys, apple)
        (self.keyring, self.lastUsed, self.publicURL, self.allowsPrivateWebhooks) = (keyring, lastUsed, publicURL, allowsPrivateWebhooks)
        self.limits = limits
        (self.metrics, self.logger, self.now) = (metrics, logger, now)
    }

    package var routes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        // Unauthenticated callers have one limit everywhere, and each route its form of saying so.
        func limited(_ form: FailedRequestLimit.Form) -> RouterGroup<WebContext> {
            routes.group().add(middleware: FailedRequestLimit(limits: limits, form: form))
        }
        let (pages, callbacks, oauth, others) = (limited(.page), limited(.callback), limited(.oauth), limited(.problem))
        // Sign-in: through the browser, or from an application on a device.
        pages.on(.get, "t/{tenant}/oauth2/authorize", "authorize", use: authorize)
        pages.on(.post, "t/{tenant}/oauth2/authorize", "authorizeByPost", use: authorizeByPost)
        pages.on(.get, "auth/apple/authorize", "authorizeByClient", use: authorizeByClient)
        callbacks.on(.post, "t/{tenant}/auth/apple/callback", "appleCallback", use: appleCallback)
        callbacks.on(.post, "auth/apple/callback", "sharedAppleCallback", use: sharedAppleCallback)
        // Tokens, what they say, and their end.
        oauth.on(.post, "t/{tenant}/oauth2/token", "token", use: token)
        oauth.on(.get, "t/{tenant}/oauth2/userinfo", "userInfo", use: userInfo)
        oauth.on(.post, "t/{tenant}/oauth2/userinfo", "userInfoByPost", use: userInfo)
        oauth.on(.post, "t/{tenant}/oauth2/introspect", "introspect", use: introspect)
        oauth.on(.post, "t/{tenant}/oauth2/revoke", "revokeToken", use: revokeToken)
        oauth.on(.get, "t/{tenant}/revocations", "listRevocations", use: listRevocations)
        // Sign-out and deletion, by the person.
        pages.on(.get, "t/{tenant}/oauth2/logout", "logout", use: logout)
        pages.on(.post, "t/{tenant}/oauth2/logout", "logoutByPost", use: logoutByPost)
        oauth.on(.delete, "t/{tenant}/users/me", "deleteOwnUser", use: deleteOwnUser)
        // What Apple tells.
        others.on(.post, "t/{tenant}/auth/apple/notifications", "receiveNotification", use: receiveNotification)
        others.on(.post, "auth/apple/notifications", "receiveSharedNotification", use: receiveSharedNotification)
        // What a library asks first.
        others.on(.get, "t/{tenant}/.well-known/openid-configuration", "openIDConfiguration", use: openIDConfiguration)
        others.on(.get, "t/{tenant}/.well-known/oauth-authorization-server", "authorizationServerMetadata", use: openIDConfiguration)
        // RFC 8414, section 3: in front of the issuer's path.
        others.on(.get, ".well-known/oauth-authorization-server/t/{tenant}", "authorizationServerMetadataAtRoot", use: openIDConfiguration)
        others.on(.get, ".well-known/openid-configuration/t/{tenant}", "openIDConfigurationAtRoot", use: openIDConfiguration)
        others.on(.get, "t/{tenant}/oauth2/jwks", "jwks", use: jwks)
        return routes
    }

    /// What comes before the routes.
    package var crossOrigin: CrossOrigin { CrossOrigin(directory: directory, limits: limits) }

    /// The tenant's issuer identifier (RFC 8414, section 2).
    func issuer(_ tenant: Tenant) -> String {
        "\(publicURL)/t/\(tenant.slug)"
    }

    /// Where Apple sends the browser back to: registered at Apple, so it never changes. One for all
    /// tenants on the shared connection, since Apple limits how many can be registered.
    func returnURL(_ tenant: Tenant, _ connection: Connection) -> String {
        connection.ownership == .own ? "\(issuer(tenant))/auth/apple/callback" : "\(publicURL)/auth/apple/callback"
    }

    /// The active tenant in the path.
    func tenant(_ context: WebContext) async throws -> TenantConfiguration? {
        guard let slug = context.parameters.get("tenant"), let found = try await find(slug: slug, context), found.tenant.status == .active
        else { return nil }
        context.record.note(tenant: found.tenant.slug)
        return found
    }

    /// The tenant that an unauthenticated caller names.
    /// - Throws: `TooManyRequests` instead of asking the database, where the caller's address has used up its limit.
    func find(slug: String, _ context: WebContext) async throws -> TenantConfiguration? {
        if directory.isKnown(slug: slug) { return try await directory.find(slug: slug) }
        return try await limits.lookUp(slug, context.record) { try await directory.find(slug: slug) }
    }

    /// The tenant of the application that an unauthenticated caller names.
    /// - Throws: `TooManyRequests`, as above.
    func find(application: ID<Application>, _ context: WebContext) async throws -> TenantConfiguration? {
        if directory.isKnown(application) { return try await directory.find(application: application) }
        return try await limits.lookUp(application.description, context.record) { try await directory.find(application: application) }
    }
}
