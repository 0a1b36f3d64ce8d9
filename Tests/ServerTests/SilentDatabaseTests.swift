import AsyncHTTPClient
import Foundation
import NIOCore
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
        let settings = ["ESPALIER_DATABASE_URL": try Self.behind(port, url), "ESPALIER_DATABASE_CONNECTIONS": "\(2 * Self.attempts)"]
        let server = try await platform.serve(at: place, settings: settings)
        let documents = ["\(place.operations)/healthz", keys, "\(TestPlatform.publicURL)/favicon.ico"]
        let before = try await Self.p99(documents, at: place)

        let hole = try BlackHole(port: port)
        let own = hole.attempts()
        let owner = try TestDatabase.pool(platform.ownerURL)
        // The client of the browsers has too few connections for so many requests at a time.
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 2 * Self.attempts
        try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            try await owner.transaction { db in
                // Each request keeps its connection, so the others need new ones. One statement of the lock's owner holds them all.
                _ = try await db.run("LOCK TABLE schema_migration IN ACCESS EXCLUSIVE MODE")
                let request = HTTPClientRequest(url: "\(place.operations)/readyz")
                let waiting = (1...2 * Self.attempts).map { _ in Task { try await client.execute(request, timeout: .seconds(600)) } }
                try await eventually("connections hang") { hole.attempts() - own >= Self.attempts }
                // An attempt ends after 10 minutes, and a thread that waited for one would delay these for as long. The best of three
                // measurements, because the machine may be busy during the others.
                var during: [Duration] = []
                for _ in 1...3 { during.append(try await Self.p99(documents, at: place)) }
                #expect(try #require(during.min()) < max(before * 3, .milliseconds(300)), "before: \(before), during: \(during)")
                #expect(hole.attempts() - own >= Self.attempts)
                for task in waiting { task.cancel() }
            }
        }
        server.signal(SIGTERM)
        #expect(try await server.exit().code == 0)
        withExtendedLifetime(hole) {}
    }

    /// More than the threads of Swift's executor and of the event loops together, on a machine with up to 19 processors. The operations
    /// port has 100 connections.
    private static let attempts = min(40, max(16, 2 * ProcessInfo.processInfo.activeProcessorCount + 2))

    /// The 99th percentile of the times of 150 requests on new connections, which reach all event loops. All succeed.
    private static func p99(_ documents: [String], at place: ServedPlatform.Place) async throws -> Duration {
        var times: [Duration] = []
        for _ in 1...50 {
            for document in documents {
                let start = ContinuousClock.now
                #expect(try await place.browser.get(document, headers: [("Connection", "close")]).status == 200, "\(document)")
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
