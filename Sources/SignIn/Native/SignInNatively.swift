import Access
import Accounts
package import Apple
import ClientKeys
import Encoding
import Foundation
package import Postgres
package import Sessions
import Tenancy
package import Users
package import Web

/// The sign-in of an application on a device: Apple's id_token for our tokens.
package struct SignInNatively: Sendable {
    let endpoints: TenantEndpoints
    let tokens: Tokens
    let pool: DatabasePool
    let apple: AppleClient
    let redeemAtApple: RedeemAtApple
    let saveUser: SaveUser
    /// The remaining calls to Apple per id_token.
    let codeTries = SingleUse.codeTries
    let metrics: Metrics
    var spent: SpentCredentials { tokens.spent }

    package init(
        tokens: Tokens, pool: DatabasePool, apple: AppleClient, redeemAtApple: RedeemAtApple, saveUser: SaveUser, metrics: Metrics
    ) {
        (self.tokens, self.pool, self.apple, self.redeemAtApple, self.saveUser) = (tokens, pool, apple, redeemAtApple, saveUser)
        (endpoints, self.metrics) = (tokens.endpoints, metrics)
    }

    /// Signs in the user of Apple's id_token. Espalier verifies it here and calls Apple only to exchange a code or to fetch a key. Then one
    /// transaction writes the session and the usage event, as for an authorization code. It also uses up the id_token and its nonce.
    ///
    /// The cheap checks run first, because anybody may call.
    /// - Parameters:
    ///   - application: the application that the caller names; nil selects the one with the bundle ID of the id_token.
    ///   - key: the key that the request proves.
    /// - Throws: `NativeRefusal`, or an error that converts to one.
    func signInNatively(
        _ sent: NativeSignIn, by application: Application?, of tenant: TenantConfiguration, boundTo key: KeyThumbprint?,
        on device: Device
    ) async throws -> TokenReply {
        let now = endpoints.now()
        if let application, application.kind != .native { throw NativeRefusal.notNative }
        guard let connection = tenant.connection else { throw NativeRefusal.noConnection }
        guard !tenant.refusesLogins(at: now) else { throw NativeRefusal.budgetUsedUp }
        // The Services ID is never accepted, even if it is among the bundle IDs. An id_token for the web came through a browser and belongs
        // to a login attempt.
        let audiences = Set(application?.bundleIDs ?? connection.bundleIDs).intersection(connection.bundleIDs)
            .subtracting([connection.servicesID])
        guard !audiences.isEmpty else { throw NativeRefusal.noBundleID }

        // One time limit covers all calls to Apple, because the user waits for their sum.
        let deadline = ContinuousClock.now + apple.timeout
        let token = try await apple.verify(
            sent.idToken, audiences: audiences, nonce: sent.nonce, nonceForm: .exactOrHashed, at: now, by: deadline)
        // Otherwise the nonce would protect nobody, because a thief of the token omits it.
        guard sent.nonce != nil || token.nonce == nil else { throw NativeRefusal.nonceMissing }
        guard token.isFresh(at: now) else { throw NativeRefusal.stale }
        let application = try application ?? tenant.application(withBundleID: token.audience)
        try application.requireProof(key)
        let use = SingleUse(of: sent, token, at: now)
        // This comes before any write and any call to Apple. A used id_token must not restore or rename a user who was deleted since then.
        try await spent.refuse(.signIn(idToken: use.idToken), by: .init(application, tenant.tenant), at: now, isFinal: Self.isUsed) {
            guard try await OwnerDatabase(pool, tenant: tenant.tenant.id).run(use.find(of: tenant.tenant.id)).isEmpty
            else { throw NativeRefusal.used }
        }

        let asked = Identity.Asked(tenant: tenant.tenant.id, application: application.id)
        var (vouched, refreshToken): (IDToken, String?) = (token, nil)
        if let code = sent.code {
            guard codeTries.take(use.idToken, at: .now).isGranted else { throw NativeRefusal.tooManyCodes }
            do {
                (vouched, refreshToken) = try await redeem(code, of: token, tenant, connection, at: now, by: deadline)
            } catch {
                // Apple sends the name once, and the id_token proves its user.
                if let name = sent.name { _ = try await save(token, name, refreshToken: nil, asked, connection, at: now) }
                throw error
            }
        }
        let user = try await save(vouched, sent.name, refreshToken: refreshToken, asked, connection, at: now)
        // No page can ask here. The user is saved, as before the page in a browser, so the id_token is used up.
        if application.isThirdParty {
            let consent = Consent.covering(user, application.id, tenant.tenant.id, scope: sent.scope, apis: sent.apis)
            let database = OwnerDatabase(pool, tenant: tenant.tenant.id)
            guard try await !database.repeatable.run(consent).isEmpty else {
                _ = try await database.run(use.insert(of: tenant.tenant.id))
                throw NativeRefusal.needsConsent
            }
        }
        let login = CompletedLogin(
            login: ID(at: now), user: user, vouched: .init(vouched, through: connection), scope: sent.scope, apis: sent.apis,
            nonce: sent.nonce, connection: connection.ownership,
            authenticatedAt: token.authenticatedAt(by: now), admittedAt: min(token.issuedAt, now), device: device,
            realUserStatus: token.realUserStatus?.rawValue)
        return try await tokens.issueTokens(
            for: login, to: application, of: tenant.tenant, boundTo: key, after: [use.insert(of: tenant.tenant.id)], at: now)
    }

    /// Whether the id_token or its nonce was used before.
    static func isUsed(_ error: any Error) -> Bool {
        (error as? NativeRefusal)?.outcome == NativeRefusal.used.outcome
    }

    private func save(
        _ token: IDToken, _ name: AppleUser?, refreshToken: String?, _ asked: Identity.Asked, _ connection: Connection, at now: Date
    ) async throws -> ID<User> {
        // An application has the name only after a new consent. Apple sends `real_user_status` only then.
        let user = try await saveUser(
            token, name, isNewConsent: name != nil || token.realUserStatus != nil, refreshToken: refreshToken, asked, connection, at: now)
        guard let user else { throw CallbackRefusal.consentEnded }
        return user
    }

    /// Exchanges the code for Apple's refresh token, with the bundle ID that Apple issued it to. Without the token, Espalier could never
    /// revoke the user's consent at Apple on deletion. A code that Apple refuses, or that belongs to another user, ends the sign-in.
    private func redeem(
        _ code: String, of token: IDToken, _ tenant: TenantConfiguration, _ connection: Connection, at now: Date,
        by deadline: ContinuousClock.Instant
    ) async throws -> (IDToken, String?) {
        guard let appleKey = tenant.appleKey else { throw NativeRefusal.noConnection }
        let tokens = try await redeemAtApple(
            code, redirectURI: nil, clientID: token.audience, tenant.tenant, connection, appleKey, at: now, by: deadline)
        let vouched: IDToken
        do throws(AppleError) {
            vouched = try await apple.verify(tokens.idToken, audiences: [token.audience], nonce: nil, at: now, by: deadline)
        } catch {
            guard case .untrusted(let rule) = error else { throw error }
            throw NativeRefusal.untrustedAnswer(rule)
        }
        guard vouched.subject.isSame(as: token.subject) else { throw NativeRefusal.otherUsersCode }
        return (vouched, tokens.refreshToken)
    }
}

extension SingleUse {
    /// How often Espalier calls Apple per id_token: ten times at once, then once per minute. This is enough to retry while Apple does not
    /// respond. An id_token is single-use and valid for ten minutes. Without the limit, the owner of an unused one could send made-up codes
    /// to Apple for that time, and Apple could slow down the whole connection.
    static var codeTries: TokenBuckets<[UInt8]> { TokenBuckets(perMinute: 1, holding: 10) }
}

extension IDToken {
    /// How old a presented id_token may be, in seconds. Apple's own limit is a day, which is long for a value that signs in anyone who has
    /// it. A genuine one was issued a moment ago, unless the device had no network.
    static let longestPresentable: TimeInterval = 600

    fileprivate func isFresh(at now: Date) -> Bool {
        now.timeIntervalSince(issuedAt) <= Self.longestPresentable
    }
}

extension TenantConfiguration {
    /// The one native application with this bundle ID.
    fileprivate func application(withBundleID id: String) throws(NativeRefusal) -> Application {
        let having = applications.values.filter { $0.kind == .native && $0.bundleIDs.has(id) }
        guard having.count <= 1 else { throw .severalApplications }
        guard let only = having.first else { throw .noApplication }
        return only
    }
}
