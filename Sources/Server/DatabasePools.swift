import Logging
package import Postgres
import ServiceLifecycle

/// The maximum number of connections of each pool.
package struct DatabaseConnections: Sendable, Equatable {
    package let logins: Int
    package let administration: Int
    package let exports: Int
    package let bulk: Int
    package let background: Int

    package init(logins: Int, administration: Int, exports: Int, bulk: Int, background: Int) {
        (self.logins, self.administration, self.exports) = (logins, administration, exports)
        (self.bulk, self.background) = (bulk, background)
    }

    /// The connections of all pools, with those for deletions that last long.
    var total: Int { logins + administration + exports + bulk + background + Self.purges }

    static let purges = 2
}

/// The pools of a process, one for each kind of work. Each has its own limit, so that no kind of work takes the connections of another.
package struct DatabasePools: Sendable {
    /// Sign-in, tokens, sessions and introspection.
    package let logins: DatabasePool
    /// The REST API, and Apple's notifications.
    package let administration: DatabasePool
    /// The exports of usage.
    package let exports: DatabasePool
    /// The aggregation of usage, and the closing of months.
    package let bulk: DatabasePool
    /// The outbox and the periodic passes.
    package let background: DatabasePool
    /// One statement deletes years of logins, once in a tenant's life. So the time limit of all other statements does not apply.
    let purges: DatabasePool

    init(_ settings: Settings, logger: Logger) throws {
        func pool(
            _ name: String, _ connections: Int, minimum: Int = 0, _ change: (inout DatabasePool.Configuration) -> Void = { _ in }
        ) throws -> DatabasePool {
            var logger = logger
            logger[metadataKey: "pool"] = "\(name)"
            var configuration = DatabasePool.Configuration(
                url: settings.databaseURL, maximumConnections: connections, applicationName: "espalier")
            configuration.minimumConnections = minimum
            // Every query here has an index. A plan made while a table was almost empty would read the whole table. Sessions store
            // their plans, including those of foreign keys, until the next ANALYZE of the table (StoredPlanTests). A search by key then
            // took 24 ms instead of 0.1 ms in a table of 100,000 sessions.
            configuration.settings = [("enable_seqscan", "off"), ("jit", "off")]
            change(&configuration)
            return try DatabasePool(configuration, logger: logger)
        }
        logins = try pool("logins", settings.databaseConnections.logins, minimum: 1)
        administration = try pool("administration", settings.databaseConnections.administration)
        // An export reads one page after another, and waits for its turn before each.
        exports = try pool("exports", settings.databaseConnections.exports) {
            $0.waitingTime = .seconds(60)
        }
        // Nobody waits for the response of this work.
        bulk = try pool("bulk", settings.databaseConnections.bulk) { $0.waitingTime = .seconds(60) }
        background = try pool("background", settings.databaseConnections.background, minimum: 1)
        purges = try pool("purges", DatabaseConnections.purges) { $0.statementTimeout = .seconds(3600) }
    }

    var services: [any Service] { [purges, exports, bulk, background, administration, logins] }

    /// The pools with their names in the metrics.
    private var named: [(String, DatabasePool)] {
        [
            ("logins", logins), ("administration", administration), ("exports", exports), ("bulk", bulk), ("background", background),
            ("purges", purges),
        ]
    }

    /// The metrics of all pools, in the exposition format.
    var metrics: String {
        get async {
            var (connections, waiting, refused): ([String], [String], [String]) = ([], [], [])
            for (name, pool) in named {
                let load = await pool.load
                connections.append("espalier_database_connections{pool=\"\(name)\",state=\"idle\"} \(load.idle)")
                connections.append("espalier_database_connections{pool=\"\(name)\",state=\"lent\"} \(load.lent)")
                waiting.append("espalier_database_waiting{pool=\"\(name)\"} \(load.waiting)")
                refused.append("espalier_database_refused_total{pool=\"\(name)\"} \(load.refused)")
            }
            let lines =
                [
                    "# HELP espalier_database_connections Open connections to PostgreSQL by pool and state.",
                    "# TYPE espalier_database_connections gauge",
                ] + connections + [
                    "# HELP espalier_database_waiting Callers that wait for a connection to PostgreSQL, by pool.",
                    "# TYPE espalier_database_waiting gauge",
                ] + waiting + [
                    "# HELP espalier_database_refused_total Callers that got no connection to PostgreSQL in time, by pool.",
                    "# TYPE espalier_database_refused_total counter",
                ] + refused
            return lines.joined(separator: "\n") + "\n"
        }
    }
}
