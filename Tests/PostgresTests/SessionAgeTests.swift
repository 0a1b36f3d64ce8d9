import Logging
import TestSupport
import Testing

@testable import Postgres

/// The maximum age of connections.
@Suite("Session age")
struct SessionAgeTests {
    private let url: String

    init() async throws {
        url = try await TestDatabase.empty().ownerURL
    }

    private static let process: SQL = "SELECT pg_backend_pid() AS process"

    @Test("a connection that is too old serves no further caller, even if it is in use regularly")
    func inUse() async throws {
        let pool = try TestDatabase.pool(url) { ($0.maximumConnections, $0.maximumAge) = (1, .zero) }
        var processes: Set<Int> = []
        for _ in 1...3 { processes.insert(try await pool.run(Self.process)[0].get("process")) }
        #expect(processes.count == 3)
    }

    @Test("an idle connection that is too old is replaced, even if it belongs to the minimum")
    func idle() async throws {
        let observer = try TestDatabase.pool(url)
        let pool = try TestDatabase.pool(url) { ($0.minimumConnections, $0.maximumAge) = (1, .milliseconds(500)) }
        let running = Task { try await pool.run() }
        let process: Int = try await pool.run(Self.process)[0].get("process")
        #expect(try await observer.wait(until: "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = \(process)) AS done"))
        try await eventually("another connection is open") { await pool.load.idle == 1 }
        #expect(try await pool.run(Self.process)[0].get("process") != process)
        running.cancel()
        try await running.value
    }

    @Test("connections that were opened together do not end together")
    @EventLoop
    func jitter() async throws {
        var configuration = DatabasePool.Configuration(url: url, maximumConnections: 8)
        configuration.maximumAge = .seconds(1000)
        let parameters = try ConnectionParameters(url: url, applicationName: nil, settings: [])
        let sessions = DatabaseSessions(configuration, connector: Connector(parameters), logger: Logger(label: "test"))
        let before = ContinuousClock.now
        var lent: [DatabaseSession] = []
        for _ in 1...8 { lent.append(try await sessions.lend()) }
        let ends = lent.map(\.expiresAt)
        let after = ContinuousClock.now
        #expect(ends.allSatisfy { $0 >= before + .seconds(800) && $0 <= after + .seconds(1000) })
        // The chance that eight random parts of 200 s are within 5 s is below 1 in a billion.
        #expect(ends.max()! - ends.min()! > .seconds(5))
        for session in lent { sessions.giveBack(session) }
        sessions.close()
    }
}
