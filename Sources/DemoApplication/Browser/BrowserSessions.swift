import Foundation

/// What the application remembers of each browser, in memory: sign-ins under way, and the one that is done.
///
/// Bounded in number and age, because anyone may begin a sign-in.
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

    /// How many browsers are remembered; beyond it the one idle longest is forgotten.
    static let capacity = 1000
    /// How many sign-ins may be under way in one browser, in tabs say.
    static let attemptCapacity = 8
    /// How long a person may take between pressing the button and coming back, in seconds.
    static let attemptLifetime: TimeInterval = 15 * 60

    private var sessions: [ID: Session] = [:]

    var count: Int { sessions.count }

    /// Remembers a sign-in that begins, under its `state`, and answers the browser's session: the given one if it exists, or a new one.
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

    /// Takes out the sign-in with this `state`; nil when this browser began none, or too long ago. It can be taken only once.
    func takeAttempt(state: String, from id: ID, at now: Date) -> LoginAttempt? {
        guard let attempt = sessions[id]?.attempts.removeValue(forKey: state),
            attempt.state.isSame(as: state), now.timeIntervalSince(attempt.startedAt) <= Self.attemptLifetime
        else { return nil }
        return attempt
    }

    /// Moves the browser into a session with a new secret: the one from before the sign-in may be known to others.
    func signIn(_ login: Login, movingFrom old: ID, at now: Date) -> ID {
        var session = sessions.removeValue(forKey: old) ?? Session(lastUsed: now)
        session.login = login
        session.lastUsed = now
        let id = makeRoom()
        sessions[id] = session
        return id
    }

    /// Who is signed in.
    func login(in id: ID, at now: Date) -> Login? {
        sessions[id]?.lastUsed = now
        return sessions[id]?.login
    }

    /// Replaces the sign-in after a refresh, unless the person has signed out meanwhile.
    func update(_ login: Login, in id: ID) {
        if sessions[id]?.login != nil { sessions[id]?.login = login }
    }

    /// Forgets the browser.
    func forget(_ id: ID) {
        sessions[id] = nil
    }

    /// An unused id, with a place for its session.
    private func makeRoom() -> ID {
        if sessions.count >= Self.capacity, let idlest = sessions.min(by: { $0.value.lastUsed < $1.value.lastUsed })?.key {
            sessions[idlest] = nil
        }
        return ID(text: .random())
    }
}
