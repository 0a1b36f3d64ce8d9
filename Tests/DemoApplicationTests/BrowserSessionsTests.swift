import Foundation
import Testing

@testable import DemoApplication

@Suite("the demo's browser sessions")
struct BrowserSessionsTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("stores no more browsers than its capacity and removes the longest idle one")
    func capacity() async {
        let sessions = BrowserSessions()
        let idlest = LoginAttempt(slug: "acme", startedAt: start)
        let first = await sessions.begin(idlest, in: nil, at: start)
        for second in 1...BrowserSessions.capacity {
            let now = start.addingTimeInterval(Double(second) / 10)
            _ = await sessions.begin(LoginAttempt(slug: "acme", startedAt: now), in: nil, at: now)
        }
        #expect(await sessions.count == BrowserSessions.capacity)
        #expect(await sessions.takeAttempt(state: idlest.state, from: first, at: start) == nil)
    }

    @Test("stores no more sign-ins per browser than its capacity and removes the oldest")
    func attempts() async throws {
        let sessions = BrowserSessions()
        let attempts = (0...BrowserSessions.attemptCapacity).map {
            LoginAttempt(slug: "acme", startedAt: start.addingTimeInterval(Double($0)))
        }
        var latest: BrowserSessions.ID?
        for attempt in attempts { latest = await sessions.begin(attempt, in: latest, at: attempt.startedAt) }
        let id = try #require(latest)
        #expect(await sessions.takeAttempt(state: attempts[0].state, from: id, at: start) == nil)
        #expect(await sessions.takeAttempt(state: attempts[1].state, from: id, at: start) != nil)
    }

    @Test("a sign-in that took too long is removed")
    func lifetime() async {
        let sessions = BrowserSessions()
        let attempt = LoginAttempt(slug: "acme", startedAt: start)
        let id = await sessions.begin(attempt, in: nil, at: start)
        let late = start.addingTimeInterval(BrowserSessions.attemptLifetime + 1)
        #expect(await sessions.takeAttempt(state: attempt.state, from: id, at: late) == nil)
    }

    @Test("a cookie that was never issued opens no session and is not adopted")
    func foreignCookie() async {
        let sessions = BrowserSessions()
        let made = BrowserSessions.ID(text: "chosen-by-someone")
        let id = await sessions.begin(LoginAttempt(slug: "acme", startedAt: start), in: made, at: start)
        #expect(id != made)
        #expect(await sessions.login(in: made, at: start) == nil)
    }
}
