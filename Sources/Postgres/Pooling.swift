import CLibPQ

/// The way in which the other side of a connection assigns sessions of PostgreSQL.
package enum Pooling: Sendable, Equatable {
    /// PostgreSQL itself.
    case none
    /// A pooler. A connection has its own session until it ends.
    case session
    /// The same, but the pooler rejects the start-up parameter `options`, which the driver sends.
    case sessionWithoutOptions
    /// A pooler. A connection has a session only during a transaction or a statement. Prepared statements, settings, LISTEN and advisory locks of a
    /// session do not work.
    case transaction

    /// Finds out with two or three connections. It retries for 5 s while the database is unavailable.
    /// - Throws: `DatabaseError`
    package static func detect(url: String) async throws -> Pooling {
        // Without settings, so that no pooler rejects the connection and no shared session changes.
        let connector = Connector(try ConnectionParameters(url: url, applicationName: "pooler check", settings: []))
        let end = ContinuousClock.now + .seconds(5)
        var failures = 0
        while true {
            do {
                return try await detect(connector, url: url)
            } catch let error as DatabaseError where error.isOutage {
                failures += 1
                let pause = BackOff.delay(afterFailures: failures)
                guard .now + pause < end else { throw error }
                try await Task.sleep(for: pause)
            }
        }
    }

    @EventLoop
    private static func detect(_ connector: Connector, url: String) async throws -> Pooling {
        let first = try await DatabaseSession.open(connector)
        defer { first.close() }
        guard try await first.limited({ try await first.isPooled() }) else { return .none }
        let second = try await DatabaseSession.open(connector)
        defer { second.close() }
        let isShared = try await first.limited { try await second.limited { try await shareProcesses(first, second) } }
        guard !isShared else { return .transaction }
        let withOptions = try ConnectionParameters(url: url, applicationName: "pooler check", settings: [("lock_timeout", "5000")])
        do {
            try await DatabaseSession.open(Connector(withOptions)).close()
        } catch let error as DatabaseError where error.kind == .connection {
            return .sessionWithoutOptions
        }
        return .session
    }

    /// Whether a process of the server works for both connections in turn, or a connection moves to another process.
    ///
    /// In transaction pooling, the process that `first` used is free after each statement. By default, PgBouncer gives the process that
    /// became free last to the next statement, so `second` gets it. With `server_round_robin`, `first` gets another one at its next
    /// statement. With other clients on the same pooler, one round can miss this.
    @EventLoop
    private static func shareProcesses(_ first: DatabaseSession, _ second: DatabaseSession) async throws -> Bool {
        let home = try await first.serverProcess()
        for _ in 1...10 {
            if try await second.serverProcess() == home { return true }
            for _ in 1...2 {
                if try await first.serverProcess() != home { return true }
            }
        }
        return false
    }
}
