import Foundation
import Server
import TestSupport
import Testing

/// An upgrade replaces the servers one after the other. No user notices it.
@Suite("Rolling restart")
struct RollingRestartTests {
    private static let applications = 6

    @Test("while servers behind a load balancer restart one after the other, no login and no refresh fails")
    func restarted() async throws {
        let platform = try await ServedPlatform.make()
        let places = [ServedPlatform.Place(), ServedPlatform.Place()]
        // The load balancer notices a failed check in far less time.
        let settings = ["ESPALIER_SHUTDOWN_DELAY": "5"]
        var servers: [Program] = []
        for place in places { servers.append(try await platform.serve(at: place, settings: settings)) }
        let balancer = try await LoadBalancer(places)
        let front = ServedPlatform.Place(port: balancer.port)
        let logins = HeldLogins()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.applications {
                let tenant = platform.seeded.tenants[number % 2]
                group.addTask { await logins.signIn(for: .init(tenant, application: number / 2 % 2), at: [front]) }
            }
            func moreLogins() async throws {
                let before = logins.entries.sessions.count
                try await eventually("more logins", within: .seconds(120)) { logins.entries.sessions.count >= before + 20 }
            }
            try await moreLogins()
            for (number, place) in places.enumerated() {
                servers[number].signal(SIGTERM)
                #expect(try await servers[number].exit().code == 0)
                servers[number] = try await platform.serve(at: place, settings: settings)
                try await eventually("the load balancer uses the new server") { balancer.uses(place.port) }
                try await moreLogins()
            }
            logins.close()
            try await group.waitForAll()
        }
        #expect(logins.entries.failures == 0, "\(logins.entries.summary)")
        try await logins.expectBilledOnce(platform, ownerURL: platform.ownerURL, at: front)
        try await balancer.stop()
        for server in servers {
            server.signal(SIGKILL)
            _ = try await server.exit()
        }
    }
}
