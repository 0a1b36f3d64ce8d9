import Access
import EmbeddedPostgres
import Foundation
import Postgres
import Server
import Sessions
import Synchronization
import Tenancy
import TestSupport
import Testing

/// The promise behind an invoice: every login that is acknowledged to an application is billed exactly once, even if any
/// process dies in between.
@Suite("Killed")
struct KilledTests {
    private static let kills = 100
    private static let applications = 6

    @Test("after a hundred kills of server and database, every login with tokens at an application is billed exactly once")
    func billedExactlyOnce() async throws {
        let cluster = Self.cluster()
        try await cluster.start()
        let platform = try await ServedPlatform.make(in: cluster)
        let place = ServedPlatform.Place()
        let ledger = Ledger()
        let seed = UInt64.random(in: .min ... .max)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.applications {
                let tenant = platform.seeded.tenants[number % 2]
                group.addTask { await signIn(for: .init(tenant, application: number / 2 % 2), at: place, into: ledger) }
            }
            var server = try await platform.serve(at: place)
            var moments = Moments(seed: seed)
            for number in 1...Self.kills {
                // On a slow machine, hardly any login fits between two kills.
                try await eventually("a login for each kill", within: .seconds(120)) { ledger.entries.sessions.count >= number }
                try await Task.sleep(for: moments.next(from: .milliseconds(20), to: .milliseconds(200)))
                if number.isMultiple(of: 2) {
                    try await cluster.crash()
                    // The server also experiences the outage, not only its own end.
                    try await Task.sleep(for: moments.next(from: .zero, to: .milliseconds(20)))
                    try await cluster.start()
                    try await platform.ready(place)
                } else {
                    server.signal(SIGKILL)
                    _ = try await server.exit()
                    server = try await platform.serve(at: place)
                }
            }
            // It still works.
            _ = try await place.browser.tokens(.init(platform.acme))
            ledger.close()
            try await group.waitForAll()

            try await compare(ledger.entries, with: platform, at: place, seed: seed)
            server.signal(SIGTERM)
            #expect(try await server.exit().code == 0)
        }
        try await cluster.stop()
    }

    /// A killed server must not lose acknowledged data. The kernel retains its data when a process dies, so fsync may be off. But a
    /// commit must have left the process (`synchronous_commit`). SIGKILL can cut the write of a page in two, so pages must be complete in
    /// the log (`full_page_writes`).
    private static func cluster() -> EmbeddedPostgres {
        let folder = FileManager.default.temporaryDirectory.appending(path: "killed-\(UInt64.random(in: .min ... .max))")
        return EmbeddedPostgres(
            folder: folder.path(percentEncoded: false),
            settings: ["fsync": "off", "synchronous_commit": "on", "full_page_writes": "on"], isThrowAway: true)
    }

    private func compare(
        _ held: Ledger.Entries, with platform: ServedPlatform, at place: ServedPlatform.Place, seed: UInt64
    ) async throws {
        let owner = try TestDatabase.pool(platform.ownerURL)
        let events = try await owner.run("SELECT id, kind FROM usage_event").map { try $0.get("id", as: UUID.self) }
        let sessions = try await owner.run("SELECT id, ended_at FROM session").map {
            (try $0.get("id", as: UUID.self), isOpen: try $0.get("ended_at", as: Date?.self) == nil)
        }
        let comment = Comment("seed \(seed); \(held.summary); \(events.count) events, \(sessions.count) sessions")

        let counts = Dictionary(events.map { ($0, 1) }, uniquingKeysWith: +)
        let wrong = held.sessions.filter { counts[$0] != 1 }
        #expect(wrong.isEmpty, comment)
        #expect(Set(events).subtracting(sessions.map(\.0)).isEmpty, comment)
        #expect(Set(sessions.map(\.0)).subtracting(events).isEmpty, comment)
        // Nobody really presented a code or a refresh token twice, so nothing was revoked.
        #expect(Set(held.sessions).subtracting(sessions.filter(\.isOpen).map(\.0)).isEmpty, comment)
        // One login's tokens were issued once.
        #expect(Set(held.sessions).count == held.sessions.count, comment)

        // The invoice equals the ledger.
        var billed = 0
        for tenant in platform.seeded.tenants { billed += try await Self.logins(of: tenant, at: place) }
        #expect(billed == events.count, comment)

        // There was load during the kills.
        #expect(held.sessions.count >= Self.kills, comment)
        #expect(held.refreshes >= Self.kills / 10, comment)
        #expect(held.failures >= Self.kills / 10, comment)
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

/// The daily work of an application: it signs people in, and refreshes from time to time. Failed requests are counted, and
/// the next person is tried. Only a complete response with status 200 and tokens is a login of the application.
private func signIn(for request: TestBrowser.Request, at place: ServedPlatform.Place, into ledger: Ledger) async {
    while ledger.isOpen, !Task.isCancelled {
        do {
            let browser = place.browser
            // Each login has its own state, nonce and verifier.
            var request = request
            (request.state, request.nonce, request.verifier) = (
                TestBrowser.randomText(), TestBrowser.randomText(), TestBrowser.randomText()
            )
            var refreshToken = try ledger.hold(try await browser.tokens(request))
            for _ in 0..<Int.random(in: 0...2) {
                let answer = try await browser.refresh(refreshToken, request)
                guard answer.status == 200, let next = answer.json["refresh_token"] as? String else { throw Ledger.NoTokens() }
                refreshToken = next
                ledger.countRefresh()
            }
        } catch {
            ledger.countFailure()
        }
    }
}

/// The data of the applications.
private final class Ledger: Sendable {
    struct Entries {
        var sessions: [UUID] = []
        var refreshes = 0
        var failures = 0

        var summary: String { "\(sessions.count) logins held, \(refreshes) refreshes, \(failures) failures" }
    }

    struct NoTokens: Error {}

    private let state = Mutex((entries: Entries(), isOpen: true))

    var entries: Entries { state.withLock { $0.entries } }
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Stores the session in the access token's `sid`. Its ID is the ID of the login and of the usage event.
    /// - Returns: The refresh token.
    func hold(_ tokens: [String: any Sendable]) throws -> String {
        guard let access = tokens["access_token"] as? String, let refresh = tokens["refresh_token"] as? String,
            let session = Self.session(of: access)
        else { throw NoTokens() }
        state.withLock { $0.entries.sessions.append(session) }
        return refresh
    }

    func countRefresh() { state.withLock { $0.entries.refreshes += 1 } }
    func countFailure() { state.withLock { $0.entries.failures += 1 } }
    func close() { state.withLock { $0.isOpen = false } }

    private enum Session: Identified { static let idPrefix = "session" }

    private static func session(of accessToken: String) -> UUID? {
        struct Claims: Decodable { let sid: String }
        let parts = accessToken.split(separator: ".")
        guard parts.count == 3 else { return nil }
        let base64 = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), let claims = try? JSONDecoder().decode(Claims.self, from: data) else { return nil }
        return ID<Session>(claims.sid)?.uuid
    }
}

/// Random times that a seed reproduces (SplitMix64).
private struct Moments: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func next(from shortest: Duration, to longest: Duration) -> Duration {
        shortest + (longest - shortest) * Double.random(in: 0...1, using: &self)
    }
}
