import Access
package import Accounts
package import Apple
import Foundation
package import Postgres
package import Sessions
import Tenancy
import Users
package import Web

/// The sign-in of an application on a device: Apple's id_token for our tokens.
package struct SignInNatively: Sendable {
    let endpoints: TenantEndpoints
    let tokens: Tokens
    let pool: DatabasePool
    let apple: AppleClient
    let redeemAtApple: RedeemAtApple
    let saveUser: SaveUser
    /// By id_token, how often Apple may still be asked.
    let codeTries = SingleUse.codeTries
    let metrics: Metrics
    var spent: SpentCredentials { tokens.spent }

    package init(
        tokens: Tokens, pool: DatabasePool, apple: AppleClient, redeemAtApple: RedeemAtApple, saveUser: SaveUser, metrics: Metrics
    ) {
        (self.tokens, self.pool, self.apple, self.redeemAtApple, self.saveUser) = (tokens, pool, apple, redeemAtApple, saveUser)
        (endpoints, self.metrics) = (tokens.endpoints, metrics)
    }

    /// Lets in whom Apple's id_token names: verified here, with a call to Apple only where there is a code to exchange or a key to
    /// fetch; then, as after a code of ours, session and bill in one transaction, which also uses the id_token and its nonce up.
    ///
    /// What costs nothing is looked at first: anybody may call.
    /// - Parameter application: who says it sends this; nil for the one that has the bundle id which the id_token was issued to.
    /// - Throws: `NativeRefusal`, or what it is made of.
    func signInNatively(
        _ sent: NativeSignIn, by application: Application?, of tenant: TenantConfiguration, on device: Device
    ) async throws -> TokenReply {
        let now = endpoints.now()
        if let application, application.kind != .native { throw NativeRefusal.notNative }
        guard let connection = tenant.connection else { throw NativeRefusal.noConnection }
        guard !tenant.refusesLogins(at: now) else { throw NativeRefusal.budgetUsedUp }
        // Never the Services ID: what Apple gave to the web has come through a browser, and belongs to an attempt of ours.
        // Not even where somebody has put it among the bundle ids.
        let audiences = Set(application?.bundleIDs ?? connection.bundleIDs).intersection(connection.bundleIDs)
            .subtracting([connection.servicesID])
        guard !audiences.isEmpty else { throw NativeRefusal.noBundleID }

        // One limit for all that is asked of Apple: the user waits for the sum.
        let deadline = ContinuousClock.now + apple.timeout
        let token = try await apple.verify(
            sent.idToken, audiences: audiences, nonce: sent.nonce, nonceForm: .exactOrHashed, at: now, by: deadline)
        // Else the nonce would protect nobody: a thief of the token leaves it out.
        guard sent.nonce != nil || token.nonce == nil else { throw NativeRefusal.nonceMissing }
        guard token.isFresh(at: now) else { throw NativeRefusal.stale }
        let application = try application ?? tenant.application(withBundleID: token.audience)
        let use = SingleUse(of: sent, token, at: now)
        // Before anything is kept, or asked of Apple: what was used before must not bring back a user who is deleted since, or name one.
        let isUsed = { (error: any Error) in (error as? NativeRefusal)?.outcome == NativeRefusal.used.outcome }
        try await spent.refuse(.signIn(idToken: use.idToken), by: .init(application, tenant.tenant), at: now, isFinal: isUsed) {
            guard try await OwnerDatabase(pool, tenant: tenant.tenant.id).run(use.find(of: tenant.tenant.id)).isEmpty
            else { throw NativeRefusal.used }
        }

        let asked = Identity.Asked(tenant: tenant.tenant.id, application: application.id, startedAt: min(token.issuedAt, now))
        var (vouched, refreshToken): (IDToken, String?) = (token, nil)
        if let code = sent.code {
            guard codeTries.take(use.idToken, at: .now).isGranted else { throw NativeRefusal.tooManyCodes }
            do {
                (vouched, refreshToken) = try await redeem(code, of: token, tenant, connection, at: now, by: deadline)
            } catch {
                // Apple sends the name once, and the id_token proves whose it is.
                if let name = sent.name { _ = try await save(token, name, refreshToken: nil, asked, connection, at: now) }
                throw error
            }
        }
        let user = try await save(vouched, sent.name, refreshToken: refreshToken, asked, connection, at: now)
        let login = CompletedLogin(
            login: ID(at: now), user: user, scope: sent.scope, nonce: sent.nonce, connection: connection.ownership,
            authenticatedAt: token.authenticatedAt(by: now), admittedAt: min(token.issuedAt, now), device: device,
            realUserStatus: token.realUserStatus?.rawValue)
        return try await tokens.issueTokens(for: login, to: application, of: tenant.tenant, after: [use.insert(of: tenant.tenant.id)], at: now)
    }

    private func save(
        _ token: IDToken, _ name: AppleUser?, refreshToken: String?, _ asked: Identity.Asked, _ connection: Connection, at now: Date
    ) async throws -> ID<User> {
        let user = try await saveUser(token, name, refreshToken: refreshToken, asked, connection, at: now)
        guard let user else { throw CallbackRefusal.consentEnded }
        return user
    }

    /// Exchanges the code for Apple's refresh token, under the bundle id that it was given to: without one, deleting the user could
    /// never reach Apple. A code that Apple refuses, or that is another user's, signs nobody in.
    private func redeem(
        _ code: String, of token: IDToken, _ tenant: TenantConfiguration, _ connection: Connection, at now: Date,
        by deadline: ContinuousClock.Instant
    ) async throws -> (IDToken, String?) {
        guard let key = tenant.appleKey else { throw NativeRefusal.noConnection }
        let tokens = try await redeemAtApple(
            code, redirectURI: nil, clientID: token.audience, tenant.tenant, connection, key, at: now, by: deadline)
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
    /// How often Apple is asked for one id_token, which serves but once and for ten minutes: whoever has one unused could otherwise have
    /// us bring Apple made-up codes for as long, and Apple slow down the whole connection. Ten times at once, and then once a
    /// minute: enough to try again while Apple does not answer.
    static var codeTries: TokenBuckets<[UInt8]> { TokenBuckets(perMinute: 1, holding: 10) }
}

extension IDToken {
    /// How old an id_token may be that an application presents, in seconds. Apple's own lasts a day, which is long for something
    /// that lets in whoever has it; it was issued a moment ago, unless the device had no network.
    static let longestPresentable: TimeInterval = 600

    fileprivate func isFresh(at now: Date) -> Bool {
        now.timeIntervalSince(issuedAt) <= Self.longestPresentable
    }
}

extension TenantConfiguration {
    /// The one native application with this bundle id.
    fileprivate func application(withBundleID id: String) throws(NativeRefusal) -> Application {
        let having = applications.values.filter { $0.kind == .native && $0.bundleIDs.has(id) }
        guard having.count <= 1 else { throw .severalApplications }
        guard let only = having.first else { throw .noApplication }
        return only
    }
}
