import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

/// Runs the program while connections to its database get no answer.
@Suite("Silent database")
struct SilentDatabaseTests {
    @Test("while new connections to the database hang, everything that needs no new connection responds, and the program stops")
    func swallowedPackets() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let keys = "\(platform.acme.issuer)/oauth2/jwks"
        // The first request creates the tenant's keys. The notification of this change would empty the cache later.
        let first = try await platform.serve(at: place)
        #expect(try await place.browser.get(keys).status == 200)
        first.signal(SIGTERM)
        #expect(try await first.exit().code == 0)
        // Each new connection tries this port first. Nothing listens there until the server is ready.
        let port = FreePorts.take()
        let url = try #require(platform.environment["ESPALIER_DATABASE_URL"])
        let server = try await platform.serve(at: place, settings: ["ESPALIER_DATABASE_URL": try Self.behind(port, url)])
        let documents = ["\(place.operations)/healthz", keys, "\(TestPlatform.publicURL)/favicon.ico"]
        let before = try await Self.p99(documents, at: place)

        let hole = try BlackHole(port: port)
        let owner = try TestDatabase.pool(platform.ownerURL)
        try await owner.transaction { db in
            // Each request keeps its connection, so the others need new ones. One statement of the lock's owner holds them all.
            _ = try await db.run("LOCK TABLE schema_migration IN ACCESS EXCLUSIVE MODE")
            let waiting = (1...4).map { _ in Task { await place.readiness } }
            try await eventually("requests wait for new connections") {
                let metrics = try await place.browser.get("\(place.operations)/metrics").body
                let waiting = try #require(metrics.firstMatch(of: /espalier_database_waiting\{pool="logins"\} ([0-9]+)/)?.1)
                return try #require(Int(waiting)) >= 2
            }
            // An attempt ends after 10 minutes, and a thread that waited for one would delay these for as long. Ten times as long is what a
            // busy machine does.
            let during = try await Self.p99(documents, at: place)
            #expect(during < max(before * 10, .seconds(2)), "before: \(before)")
            for task in waiting { task.cancel() }
        }
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
        withExtendedLifetime(hole) {}
    }

    /// The 99th percentile of the times of 150 requests, which all succeed.
    private static func p99(_ documents: [String], at place: ServedPlatform.Place) async throws -> Duration {
        var times: [Duration] = []
        for _ in 1...50 {
            for document in documents {
                let start = ContinuousClock.now
                #expect(try await place.browser.get(document).status == 200, "\(document)")
                times.append(.now - start)
            }
        }
        return times.sorted()[times.count * 99 / 100]
    }

    /// The URL with another server before the database.
    private static func behind(_ port: Int, _ url: String) throws -> String {
        var parts = try #require(URLComponents(string: url))
        var items = parts.queryItems ?? []
        let host = items.first { $0.name == "host" }?.value ?? parts.host ?? ""
        let own = items.first { $0.name == "port" }?.value ?? parts.port.map(String.init) ?? "5432"
        items.removeAll { ["host", "port", "connect_timeout"].contains($0.name) }
        items += [
            URLQueryItem(name: "host", value: "127.0.0.1,\(host)"), URLQueryItem(name: "port", value: "\(port),\(own)"),
            URLQueryItem(name: "connect_timeout", value: "600"),
        ]
        (parts.host, parts.port, parts.queryItems) = ("", nil, items)
        return try #require(parts.string)
    }
}
