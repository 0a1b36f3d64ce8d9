import Access
import Apple
import Foundation
import Hummingbird
import Logging
import Postgres
import Sessions
import Tenancy
import Users
import Web

extension SignInRoutes {
    /// The identity that waits for the sign-in of an attempt (`signInToLink`), or the one of a page to which the attempt has led.
    func waitingIdentity(of attempt: LoginAttempt, _ sent: AttemptCookie.Sent, at now: Date) -> WaitingIdentity? {
        (sent.waiting + sent.questions).lazy.compactMap {
            WaitingIdentity(opening: $0, for: attempt, with: self.endpoints.keyring, at: now)
        }.first
    }

    /// Gives the waiting identity of an attempt to the user who has signed in with it.
    ///
    /// The proof is the sign-in at Apple to exactly the user with the address. Everything is checked again, because minutes have passed:
    /// the tenant still asks, the address still leads to this user, and no other sign-in has taken the identity. If it is not linked, the
    /// person is still signed in to this user, and the next sign-in with the other Apple Account asks again.
    /// - Parameters:
    ///   - waiting: nil if the cookie is missing, cannot be read, or is too old.
    ///   - code: Apple's code.
    /// - Returns: whether the user has the identity.
    /// - Throws: `LinkQuestion` after a sign-in to another user. The person would otherwise believe that both are linked.
    func linkWaitingIdentity(
        _ waiting: WaitingIdentity?, of attempt: LoginAttempt, after code: String, to user: ID<User>, _ tenant: TenantConfiguration,
        _ context: WebContext, at now: Date
    ) async throws -> Bool {
        // A page that asked later is about another Apple Account, and the person has not agreed on it.
        let waiting = waiting.flatMap { $0.askedAt <= attempt.startedAt ? $0 : nil }
        let outcome = await link(waiting, of: attempt, to: user, tenant, context, at: now)
        if outcome == .otherUser, let waiting, let question = question(about: waiting, of: attempt, after: code, tenant) { throw question }
        return outcome == .linked
    }

    /// Gives the waiting identity to a user who has proven to be its candidate, with a metric and a log line about the outcome.
    func link(
        _ waiting: WaitingIdentity?, of attempt: LoginAttempt, to user: ID<User>, _ tenant: TenantConfiguration, _ context: WebContext,
        at now: Date
    ) async -> LinkOutcome {
        let facts = context.record.current
        let origin = AuditEvent.Origin(actor: attempt.application.description, address: facts.address, requestID: facts.requestID)
        let outcome: LinkOutcome
        var cause: (any Error)?
        do {
            outcome = try await self.outcome(of: waiting, for: user, tenant, by: origin, at: now)
        } catch {
            (outcome, cause) = (.failed, error)
        }
        metrics.count(.callback, "link_\(outcome.rawValue)")
        if outcome != .linked {
            endpoints.logger.log(
                level: outcome == .failed ? .error : .notice, "an identity was not linked",
                metadata: [
                    "request_id": "\(facts.requestID)", "tenant": "\(tenant.tenant.slug)", "outcome": "\(outcome.rawValue)",
                    "cause": "\(cause.map { "\($0)" } ?? "")",
                ])
        }
        return outcome
    }

    enum LinkOutcome: String {
        case linked
        /// The question is too old, or of a connection that no longer serves the tenant.
        case expired
        case otherUser = "other_user"
        case switchedOff = "switched_off"
        /// The address leads to another user now, or another sign-in has taken the identity.
        case changed
        /// The database or Apple's keys did not respond.
        case failed
    }

    private func outcome(
        of waiting: WaitingIdentity?, for user: ID<User>, _ tenant: TenantConfiguration, by origin: AuditEvent.Origin, at now: Date
    ) async throws -> LinkOutcome {
        guard let waiting, let connection = tenant.connection, connection.id == waiting.connection else { return .expired }
        guard tenant.tenant.settings.accountLinking == .ask else { return .switchedOff }
        let token = try await waiting.token(of: connection, verifiedBy: apple)
        let added = AddedIdentity(token, waiting.name, refreshToken: waiting.refreshToken, through: connection)
        guard let confirmation = Identity.confirm(waiting.candidate, for: token, of: waiting.tenant, askedAt: waiting.askedAt)
        else { return .changed }
        guard waiting.candidate == user else {
            let database = OwnerDatabase(signInNatively.pool, tenant: waiting.tenant).repeatable
            return try await database.run(confirmation).isEmpty ? .changed : .otherUser
        }
        do {
            return try await link(added, to: user, waiting.tenant, if: confirmation, by: origin, at: now)
        } catch let error as DatabaseError where error.kind == .connection || error.isSerializationFailure {
            // A deadlock with a concurrent sign-in must not lose the name. A repetition has no second effect.
            return try await link(added, to: user, waiting.tenant, if: confirmation, by: origin, at: now)
        }
    }

    /// - Parameter confirmation: selects the user, if it still has the address.
    private func link(
        _ added: AddedIdentity, to user: ID<User>, _ tenant: ID<Tenant>, if confirmation: SQL, by origin: AuditEvent.Origin, at now: Date
    ) async throws -> LinkOutcome {
        do {
            let outcome = try await OwnerDatabase(signInNatively.pool, tenant: tenant).transaction { db in
                try await added.add(
                    to: user, tenant, logins: Session.logins(of: user, tenant), keyring: endpoints.keyring, by: origin,
                    action: "linkIdentity", at: now, in: db
                ) { _ in
                    guard try await !db.run(confirmation).isEmpty else { throw LinkRefused() }
                }
            }
            switch outcome {
            case .added, .known: return .linked
            case .ofAnother, .ended, .tooMany, .noUser: return .changed
            }
        } catch is LinkRefused {
            return .changed
        }
    }
}

/// Rolls the transaction back: the address no longer leads to the user.
private struct LinkRefused: Error {}
