package import Access
package import BrowserSessions
package import Foundation
import Synchronization
import Tenancy

/// Remembers the credentials that this process recently found spent: codes and tokens that were used, were revoked, or belong to an ended
/// session.
///
/// Only the database knows that a credential is spent, and its owner can send it any number of times. If it is sent again within a minute,
/// it gets the same response without a statement (OWASP ASVS 2.4.1). When the tenant or the application changes how long its sessions last,
/// the database is asked again, because a longer limit can make a session active again.
///
/// The memory belongs to one process and is bounded. When it is full, all entries are removed, and each credential costs its statements
/// once more.
package final class SpentCredentials: Sendable {
    /// The purpose for which a credential was sent.
    package enum Use: Hashable {
        /// A code that was issued at this time. A login can have several codes.
        case redeem(ID<Session>, issuedAt: Date)
        case refresh(ID<Session>, generation: Int)
        /// To act for the user, with an access token issued at this time.
        case act(ID<Session>, issuedAt: Int)
        case revoke(ID<Session>)
        case logOut(ID<Session>)
        /// To sign the user in without Apple, with a cookie of a browser.
        case signInSilently(ID<BrowserSession>, generation: Int)
        /// - Parameter idToken: the digest of Apple's id_token.
        case signIn(idToken: [UInt8])
    }

    /// The application that sends it, and the current limits of its sessions.
    package struct Sender: Hashable {
        let application: ID<Application>
        /// In seconds (`session_life`).
        let limits: [Int?]
    }

    private struct Key: Hashable {
        let use: Use
        let sender: Sender
    }

    private struct Answer {
        /// Nil if the request succeeded. Repeating it changes nothing.
        let refusal: (any Error)?
        let until: Date
    }

    /// In seconds.
    static let lifetime: TimeInterval = 60

    private let capacity: Int
    private let answers = Mutex<[Key: Answer]>([:])

    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// Repeats a refusal of the last minute. Otherwise it runs the body, and remembers the error if the credential is spent.
    /// - Throws: the body's error, now or in the last minute.
    package func refuse<R>(
        _ use: Use, by sender: Sender, at now: Date, isFinal: (any Error) -> Bool = SpentCredentials.isFinal,
        orRun body: () async throws -> R
    ) async throws -> R {
        let key = Key(use: use, sender: sender)
        if let refusal = answer(key, at: now)?.refusal { throw refusal }
        do { return try await body() } catch {
            if isFinal(error) { remember(key, error, at: now) }
            throw error
        }
    }

    /// Runs a body that ends something, unless it did so in the last minute.
    /// - Throws: the body's error, now or in the last minute.
    func runOnce(_ use: Use, by sender: Sender, at now: Date, _ body: () async throws -> Void) async throws {
        let key = Key(use: use, sender: sender)
        if let answer = answer(key, at: now), answer.refusal == nil { return }
        try await refuse(use, by: sender, at: now, orRun: body)
        remember(key, nil, at: now)
    }

    /// The number of remembered credentials.
    var count: Int { answers.withLock { $0.count } }

    /// Whether the error is about the credential and is permanent. It is then not about another part of the request or an outage.
    package static func isFinal(_ error: any Error) -> Bool {
        switch error {
        case let error as OAuthError: [.invalidGrant, .invalidToken].contains(error.code)
        default: false
        }
    }

    private func answer(_ key: Key, at now: Date) -> Answer? {
        answers.withLock { $0[key].flatMap { now < $0.until ? $0 : nil } }
    }

    private func remember(_ key: Key, _ refusal: (any Error)?, at now: Date) {
        answers.withLock { answers in
            if answers.count >= capacity {
                answers = answers.filter { now < $0.value.until }
                // Otherwise each new entry would search all entries until some expire.
                if answers.count > capacity / 2 { answers = [:] }
            }
            answers[key] = Answer(refusal: refusal, until: now.addingTimeInterval(Self.lifetime))
        }
    }
}

extension SpentCredentials.Sender {
    package init(_ application: Application, _ tenant: Tenant) {
        let limits = [tenant.settings.sessionSeconds, tenant.settings.idleSeconds, application.idleSeconds]
        self.init(application: application.id, limits: limits)
    }
}
