import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// `espalier usage close` as a process.
@Suite("Close usage, as a command")
struct CloseUsageCommandTests {
    private let owner: DatabasePool
    private let environment: [String: String]
    private let acme = ID<Tenant>(at: Date())
    /// A time at which the current month can be closed, but not the next one.
    private let later: String

    init() async throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        later = try #require(calendar.dateInterval(of: .month, for: Date())).end.addingTimeInterval(2 * 86400).formatted(.iso8601)
        let database = try await TestDatabase.make()
        owner = try TestDatabase.pool(database.ownerURL)
        environment = ServedPlatform.settings(databaseURL: database.serverURL, appleURL: "https://appleid.apple.com")
        _ = try await owner.run(Tenant.insert(acme, slug: "acme", name: "Acme", plan: .free, at: Date()))
    }

    private func close(simulated: Bool = true) async throws -> Program.Exit {
        try await Program.run(
            ["usage", "close", "--as-of", later], environment: environment.merging(["ESPALIER_SIMULATED_CLOCK": "\(simulated)"]) { $1 })
    }

    private func statements() async throws -> Int {
        try await owner.run("SELECT FROM statement WHERE state = 'closed'").count
    }

    @Test("another time counts as now only with a simulated clock")
    func clock() async throws {
        let refused = try await close(simulated: false)
        #expect(refused.code == 1)
        #expect(refused.errors.contains("--as-of needs ESPALIER_SIMULATED_CLOCK=true"))
        #expect(try await statements() == 0)
        let closed = try await close()
        #expect(closed.output == "1 month closed\n", "\(closed.errors)")
        #expect(try await statements() == 1)
    }

    @Test("while a server adds up usage for long, nothing is closed, with an error")
    func busy() async throws {
        _ = try await owner.run(
            """
            INSERT INTO usage_arrival (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
            VALUES (now(), date_trunc('month', now())::date, \(acme), \(UUID()), \(UUID()), \(UUID()), 'login', 'own')
            """)
        let refused = try await owner.transaction { db in
            _ = try await db.run("SELECT pg_advisory_xact_lock(1919904876, 0)")
            return try await close()
        }
        #expect(refused.code == 1)
        #expect(refused.errors.hasPrefix("espalier: Nothing was closed,"), "\(refused.errors)")
        #expect(try await statements() == 0)
    }
}
