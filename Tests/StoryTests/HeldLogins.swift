import Access
import Foundation
import Postgres
import Server
import Synchronization
import TestSupport
import Testing

/// The data of applications that sign people in all the time: the logins for which they have tokens.
final class HeldLogins: Sendable {
    struct Entries {
        var sessions: [UUID] = []
        var refreshes = 0
        var failures = 0
        var lastFailure = "none"

        var summary: String {
            "\(sessions.count) logins held, \(refreshes) refreshes, \(failures) failures, the last one: \(lastFailure)"
        }
    }

    private struct NoTokens: Error {
        let answer: String
    }

    private let state = Mutex((entries: Entries(), isOpen: true))

    var entries: Entries { state.withLock { $0.entries } }
    private var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Ends the applications after their current logins.
    func close() { state.withLock { $0.isOpen = false } }

    /// The daily work of an application: it signs people in, and refreshes from time to time. Failed requests are counted, and the next
    /// person is tried. Only a complete response with status 200 and tokens is a login of the application. Each request reaches any
    /// of the servers, so the steps of one login are at different ones.
    func signIn(for request: TestBrowser.Request, at places: [ServedPlatform.Place]) async {
        while isOpen, !Task.isCancelled {
            do {
                let browser = TestBrowser(publicURL: TestPlatform.publicURL, addresses: places.map(\.address))
                // Each login has its own state, nonce and verifier.
                var request = request
                (request.state, request.nonce, request.verifier) = (
                    TestBrowser.randomText(), TestBrowser.randomText(), TestBrowser.randomText()
                )
                var refreshToken = try hold(try await browser.tokens(request))
                for _ in 0..<Int.random(in: 0...2) {
                    let answer = try await browser.refresh(refreshToken, request)
                    guard answer.status == 200, let next = answer.json["refresh_token"] as? String
                    else { throw NoTokens(answer: "\(answer.status) \(answer.body)") }
                    refreshToken = next
                    state.withLock { $0.entries.refreshes += 1 }
                }
            } catch {
                state.withLock { state in
                    state.entries.failures += 1
                    state.entries.lastFailure = "\(error)"
                }
            }
        }
    }

    /// Stores the session in the access token's `sid`. Its ID is the ID of the login and of the usage event.
    /// - Returns: The refresh token.
    @discardableResult
    func hold(_ tokens: [String: any Sendable]) throws -> String {
        guard let access = tokens["access_token"] as? String, let refresh = tokens["refresh_token"] as? String,
            let sid = try claims(of: access)["sid"] as? String, let session = ID<Session>(sid)
        else { throw NoTokens(answer: "an incomplete response") }
        state.withLock { $0.entries.sessions.append(session.uuid) }
        return refresh
    }

    private enum Session: Identified { static let idPrefix = "session" }

    /// Compares them with the database: each has an open session and exactly one usage event, and the usage in the REST API equals the
    /// ledger.
    /// - Parameters:
    ///   - ownerURL: The database, as the owner of the schema.
    ///   - note: Added to the message of a failure.
    func expectBilledOnce(
        _ platform: ServedPlatform, ownerURL: String, at place: ServedPlatform.Place, _ note: String = ""
    ) async throws {
        let held = entries
        let owner = try TestDatabase.pool(ownerURL)
        let events = try await owner.run("SELECT id FROM usage_event UNION ALL SELECT id FROM usage_arrival").map {
            try $0.get("id", as: UUID.self)
        }
        let sessions = try await owner.run("SELECT id, ended_at FROM session").map {
            (try $0.get("id", as: UUID.self), isOpen: try $0.get("ended_at", as: Date?.self) == nil)
        }
        let comment = Comment("\(note); \(held.summary); \(events.count) events, \(sessions.count) sessions")

        let counts = Dictionary(events.map { ($0, 1) }, uniquingKeysWith: +)
        let wrong = held.sessions.filter { counts[$0] != 1 }
        #expect(wrong.isEmpty, comment)
        #expect(Set(events).subtracting(sessions.map(\.0)).isEmpty, comment)
        #expect(Set(sessions.map(\.0)).subtracting(events).isEmpty, comment)
        // Nobody really presented a code or a refresh token twice, so nothing was revoked.
        #expect(Set(held.sessions).subtracting(sessions.filter(\.isOpen).map(\.0)).isEmpty, comment)
        // A failed login may have started one session. Others would be logins that were billed twice.
        #expect(sessions.count - held.sessions.count <= held.failures, comment)
        // One login's tokens were issued once.
        #expect(Set(held.sessions).count == held.sessions.count, comment)

        // The invoice equals the ledger.
        var billed = 0
        for tenant in platform.seeded.tenants { billed += try await Self.logins(of: tenant, at: place) }
        #expect(billed == events.count, comment)
    }

    /// Returns the usage from yesterday to tomorrow, as the REST API reports it to a tenant.
    private static func logins(of tenant: SeedResult.TenantResult, at place: ServedPlatform.Place) async throws -> Int {
        let window = [Date(timeIntervalSinceNow: -86_400), Date(timeIntervalSinceNow: 86_400)].map { $0.formatted(.iso8601) }
        let answer = try await place.browser.get(
            "\(TestPlatform.publicURL)/v1/tenants/\(tenant.slug)/usage?from=\(window[0])&to=\(window[1])",
            headers: [("Authorization", "Bearer \(tenant.api_keys[0].secret)")])
        return try #require(answer.json["logins"] as? Int, "\(answer.status) \(answer.body)")
    }
}
