import Access
import Apple
import Foundation
import Postgres
import Sessions
import Tenancy
import Users

/// A sign-in at Apple whose code Espalier has redeemed.
struct AnsweredSignIn {
    /// Verified.
    let token: IDToken
    let tokens: AppleTokens
    /// Apple's code.
    let code: String
    /// The name, which Apple sends once.
    let name: AppleUser?
    /// The name of an earlier sign-in that did not finish.
    let keptName: AppleUser?
    let isNewConsent: Bool
    let connection: Connection

    /// The sign-in as an identity that waits for the person's decision about this user.
    func waiting(for user: ID<User>, in attempt: LoginAttempt, at now: Date) -> WaitingIdentity {
        WaitingIdentity(
            tokens, name ?? keptName, address: token.email, isNewConsent: isNewConsent, of: attempt, after: code, candidate: user, at: now)
    }
}

// The end of a callback saves the user, or asks the person instead.
extension SignInRoutes {
    /// Saves the user of a sign-in.
    /// - Parameters:
    ///   - isAsking: whether a first sign-in with the address of another user creates no user.
    ///   - earlier: the identity that waits for this sign-in.
    /// - Throws: `LinkQuestion` if the person must decide first.
    func signedInUser(
        after answered: AnsweredSignIn, of attempt: LoginAttempt, _ asked: Identity.Asked, isAsking: Bool,
        keeping earlier: WaitingIdentity?, at now: Date
    ) async throws -> ID<User> {
        let (token, name, connection) = (answered.token, answered.name, answered.connection)
        let (isNewConsent, refreshToken) = (answered.isNewConsent, answered.tokens.refreshToken)
        let saved = try await admitted(
            saveUser.saved(
                token, name, keptName: answered.keptName, isNewConsent: isNewConsent, refreshToken: refreshToken, asked, connection,
                isAsking: isAsking, at: now))
        switch saved {
        case .user(let user):
            if name == nil, let kept = answered.keptName {
                // A user who was only read may have none, for example if this person has signed in with another browser in the meantime.
                let set = User.setName(kept, of: user, attempt.tenant, since: now, unless: "false", at: now)
                _ = try await OwnerDatabase(signInNatively.pool, tenant: attempt.tenant).repeatable.run(set)
            }
            return user
        case .candidate(let candidate):
            var waiting = answered.waiting(for: candidate, in: attempt, at: now)
            if let earlier { try await waiting.keep(earlier, ifOf: token, through: connection, verifiedBy: apple) }
            if let ticket = waiting.sealed(for: attempt.login, with: endpoints.keyring) {
                throw LinkQuestion(ticket: ticket, address: token.email, user: candidate)
            }
            // It is too long for the page.
            return try await admitted(
                saveUser(token, waiting.name, isNewConsent: isNewConsent, refreshToken: refreshToken, asked, connection, at: now))
        }
    }

    /// The question to a person who adds an Apple Account.
    /// - Parameter owner: the user who gets it. Nil if the permission is missing or too old.
    /// - Throws: `CallbackRefusal`.
    func connectQuestion(
        after answered: AnsweredSignIn, of attempt: LoginAttempt, addedTo owner: ID<User>?, at now: Date
    ) throws -> LinkQuestion {
        guard let owner else { throw CallbackRefusal.identityExpired }
        let waiting = answered.waiting(for: owner, in: attempt, at: now)
        // A long name is not worth the Apple Account. The user has a name in most cases.
        let sealed = [waiting, waiting.withoutName()].lazy.compactMap { $0.sealed(for: attempt.login, with: self.endpoints.keyring) }.first
        guard let ticket = sealed else { throw CallbackRefusal.tooLongForPage }
        return LinkQuestion(ticket: ticket, address: answered.token.email, user: owner)
    }

    /// - Throws: `CallbackRefusal` if nothing was saved, because the consent ended.
    func admitted<Saved>(_ saved: Saved?) throws -> Saved {
        guard let saved else { throw CallbackRefusal.consentEnded }
        return saved
    }
}
