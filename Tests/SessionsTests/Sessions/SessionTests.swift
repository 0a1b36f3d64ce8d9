import Access
import Foundation
import Postgres
@testable import Sessions
import Tenancy
import TestSupport
import Testing

/// The response to a refresh token that is not the current one, by the clock.
@Suite("Session")
struct SessionTests {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let id = ID<Session>(at: Date())

    /// A session as in its row, last refreshed `now`.
    private func session(generation: Int, expiresIn lifetime: TimeInterval = 86400, endedAt: Date? = nil) async throws -> Session {
        let pool = try TestDatabase.pool(try await TestDatabase.make().serverURL)
        let row: SQL = """
            SELECT \(UUID()) AS user_id, 'openid' AS scope, \(generation)::int AS refresh_generation, \(now) AS refreshed_at,
                \(now + lifetime) AS expires_at, \(endedAt) AS ended_at,
                NULL::timestamptz AS authenticated_at, NULL::uuid[] AS api_ids, NULL::text AS dpop_jkt, NULL::text AS host
            """
        return try #require(try await pool.run(row).first(Session.init))
    }

    private func token(_ generation: Int) -> RefreshToken {
        RefreshToken(id, generation: generation)
    }

    @Test("the previous token returns its successor again for 30 seconds, and is a reuse afterwards")
    func grace() async throws {
        let session = try await session(generation: 5)
        #expect(session.answer(to: token(4), idleSeconds: 30 * 86400, at: now) == .again)
        #expect(session.answer(to: token(4), idleSeconds: 30 * 86400, at: now + 30) == .again)
        #expect(session.answer(to: token(4), idleSeconds: 30 * 86400, at: now + 30.1) == .reused)
    }

    @Test("an older token is a reuse at any time")
    func older() async throws {
        let session = try await session(generation: 5)
        for generation in 0...3 { #expect(session.answer(to: token(generation), idleSeconds: 30 * 86400, at: now) == .reused) }
    }

    @Test("the current token with a larger scope gets its own error; a token that was never issued has no session")
    func unused() async throws {
        let session = try await session(generation: 5)
        #expect(session.answer(to: token(5), asking: .init(scope: ["admin"]), idleSeconds: 30 * 86400, at: now) == .scopeNotGranted)
        #expect(session.answer(to: token(6), idleSeconds: 30 * 86400, at: now) == .ended)
    }

    @Test("for any token, an ended session is ended")
    func ended() async throws {
        let ended = try await session(generation: 5, endedAt: now)
        let expired = try await session(generation: 5, expiresIn: 60)
        for generation in 0...6 {
            #expect(ended.answer(to: token(generation), idleSeconds: 30 * 86400, at: now) == .ended)
            #expect(expired.answer(to: token(generation), idleSeconds: 30 * 86400, at: now + 60) == .ended)
        }
        #expect(expired.answer(to: token(0), idleSeconds: 30 * 86400, at: now + 59) == .reused)
        let idle = try await session(generation: 5, expiresIn: 90 * 86400)
        #expect(idle.answer(to: token(0), idleSeconds: 30 * 86400, at: now + 30 * 86400) == .ended)
        #expect(idle.answer(to: token(0), idleSeconds: 30 * 86400, at: now + 30 * 86400 - 1) == .reused)
    }
    @Test("the application sets the idle limit")
    func idle() async throws {
        let session = try await session(generation: 5)
        #expect(session.answer(to: token(0), idleSeconds: 300, at: now + 299) == .reused)
        #expect(session.answer(to: token(0), idleSeconds: 300, at: now + 300) == .ended)
    }
}
