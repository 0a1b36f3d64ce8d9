import Foundation
import Server
import TestSupport
import Testing

/// The loss of a primary, with a standby that is promoted. `script/check-failover` measures more, with Patroni.
@Suite("Failover")
struct FailoverTests {
    private static let applications = 4
    private static let settings = ["fsync": "off"]

    @Test("after the primary is killed and its standby promoted, each acknowledged login is billed once, has a session, and users sign in")
    func promoted() async throws {
        let primary = try await TestCluster.own(settings: Self.settings)
        let platform = try await ServedPlatform.make(in: primary)
        let cluster = try await ReplicatedCluster(addingTo: primary, settings: Self.settings)
        let ownerURL = try await cluster.url(user: "espalier", database: "espalier")
        let settings = ["ESPALIER_DATABASE_URL": try await cluster.url(user: "espalier_server", database: "espalier")]
        let places = [ServedPlatform.Place(), ServedPlatform.Place()]
        var servers: [Program] = []
        for place in places { servers.append(try await platform.serve(at: place, settings: settings)) }
        let logins = HeldLogins()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.applications {
                let tenant = platform.seeded.tenants[number % 2]
                group.addTask { await logins.signIn(for: .init(tenant, application: number / 2), at: places) }
            }
            func moreLogins() async throws {
                let before = logins.entries.sessions.count
                try await eventually("more logins", within: .seconds(120)) { logins.entries.sessions.count >= before + 20 }
            }
            try await moreLogins()
            try await cluster.failOver()
            // Each server uses the new primary.
            for place in places { try await platform.ready(place) }
            for place in places { try logins.hold(try await place.browser.tokens(.init(platform.acme))) }
            try await moreLogins()
            logins.close()
            try await group.waitForAll()
        }
        try await logins.expectBilledOnce(platform, ownerURL: ownerURL, at: places[0])
        for server in servers {
            server.signal(SIGTERM)
            #expect(try await server.exit().code == 0)
        }
        try await cluster.stop()
    }
}
