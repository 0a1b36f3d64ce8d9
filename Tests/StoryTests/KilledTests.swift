import EmbeddedPostgres
import Foundation
import Server
import TestSupport
import Testing

/// The promise behind an invoice: every login that is acknowledged to an application is billed exactly once, even if any
/// process dies in between.
@Suite("Killed")
struct KilledTests {
    private static let kills = 100
    private static let applications = 6

    @Test(
        "after a hundred kills of servers and database, every login with tokens at an application is billed exactly once",
        arguments: [1, 3])
    func billedExactlyOnce(servers count: Int) async throws {
        let cluster = Self.cluster()
        try await cluster.start()
        let platform = try await ServedPlatform.make(in: cluster)
        let places = (1...count).map { _ in ServedPlatform.Place() }
        let logins = HeldLogins()
        let seed = UInt64.random(in: .min ... .max)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.applications {
                let tenant = platform.seeded.tenants[number % 2]
                group.addTask { await logins.signIn(for: .init(tenant, application: number / 2 % 2), at: places) }
            }
            var servers: [Program] = []
            for place in places { servers.append(try await platform.serve(at: place)) }
            var moments = Moments(seed: seed)
            for number in 1...Self.kills {
                // On a slow machine, hardly any login fits between two kills.
                try await eventually("a login for each kill", within: .seconds(120)) { logins.entries.sessions.count >= number }
                try await Task.sleep(for: moments.next(from: .milliseconds(20), to: .milliseconds(200)))
                if number.isMultiple(of: 2) {
                    try await cluster.crash()
                    // The servers also experience the outage, not only their own end.
                    try await Task.sleep(for: moments.next(from: .zero, to: .milliseconds(20)))
                    try await cluster.start()
                    for place in places { try await platform.ready(place) }
                } else {
                    let victim = number / 2 % count
                    servers[victim].signal(SIGKILL)
                    _ = try await servers[victim].exit()
                    servers[victim] = try await platform.serve(at: places[victim])
                }
            }
            // They still work.
            for place in places { try logins.hold(try await place.browser.tokens(.init(platform.acme))) }
            logins.close()
            try await group.waitForAll()

            try await logins.expectBilledOnce(platform, ownerURL: platform.ownerURL, at: places[0], "seed \(seed)")
            // There was load during the kills.
            let held = logins.entries
            let comment = Comment("seed \(seed); \(held.summary)")
            #expect(held.sessions.count >= Self.kills, comment)
            #expect(held.refreshes >= Self.kills / 10, comment)
            #expect(held.failures >= Self.kills / 10, comment)
            for server in servers {
                server.signal(SIGTERM)
                #expect(try await server.exit().code == 0)
            }
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
