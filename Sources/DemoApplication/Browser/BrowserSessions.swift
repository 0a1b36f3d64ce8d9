import Foundation

/// The browser sessions in memory: sign-ins in progress, and the completed sign-in.
///
/// Number and age are limited, because anyone may start a sign-in.
actor BrowserSessions {
    /// The secret in the browser's cookie.
    struct ID: Hashable, Sendable {
        let text: String
    }

    private struct Session {
        var attempts: [String: LoginAttempt] = [:]
        var login: Login?
        var lastUsed: Date
    }

    /// The maximum number of browsers. Beyond it, the session with the longest idle time is removed.
    static let capacity = 1000
    /// The maximum number of sign-ins in progress per browser, for example in tabs.
    static let attemptCapacity = 8
    /// The maximum time of a sign-in, in seconds.
    static let attemptLifetime: TimeInterval = 15 * 60

    private var sessions: [ID: Session] = [:]

    var count: Int { sessions.count }

    /// Stores a new sign-in under its `state`, and returns the browser's session: the given one if it exists, or a new one.
    func begin(_ attempt: LoginAttempt, in existing: ID?, at now: Date) -> ID {
        let id = existing.flatMap { sessions[$0] == nil ? nil : $0 } ?? makeRoom()
        var session = sessions[id] ?? Session(lastUsed: now)
        if session.attempts.count >= Self.attemptCapacity, let oldest = session.attempts.values.min(by: { $0.startedAt < $1.startedAt }) {
            session.attempts[oldest.state] = nil
        }
        session.attempts[attempt.state] = attempt
        session.lastUsed = now
        sessions[id] = session
        return id
    }

    /// Removes and returns the sign-in with this `state`; nil if this browser started none, or too long ago. It can be taken
    /// only once.
    func takeAttempt(state: String, from id: ID, at now: Date) -> LoginAttempt? {
        guard let attempt = sessions[id]?.attempts.removeValue(forKey: state),
            attempt.state.isSame(as: state), now.timeIntervalSince(attempt.startedAt) <= Self.attemptLifetime
        else { return nil }
        return attempt
    }

    /// Moves the browser to a session with a new secret, because others may know the secret from before the sign-in.
    func signIn(_ login: Login, movingFrom old: ID, at now: Date) -> ID {
        var session = sessions.removeValue(forKey: old) ?? Session(lastUsed: now)
        session.login = login
        session.lastUsed = now
        let id = makeRoom()
        sessions[id] = session
        return id
    }

    /// Returns the completed sign-in.
    func login(in id: ID, at now: Date) -> Login? {
        sessions[id]?.lastUsed = now
        return sessions[id]?.login
    }

    /// Replaces the sign-in after a refresh, unless the person has signed out since then.
    func update(_ login: Login, in id: ID) {
        if sessions[id]?.login != nil { sessions[id]?.login = login }
    }

    /// Removes the browser's session.
    func forget(_ id: ID) {
        sessions[id] = nil
    }

    /// Returns an unused ID after making room for its session.
    private func makeRoom() -> ID {
        if sessions.count >= Self.capacity, let idlest = sessions.min(by: { $0.value.lastUsed < $1.value.lastUsed })?.key {
            sessions[idlest] = nil
        }
        return ID(text: .random())
    }
}
