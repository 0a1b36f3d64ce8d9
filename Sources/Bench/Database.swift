import EmbeddedPostgres
import Logging
import Postgres

/// The benchmark's database and the service's role in it.
enum Database {
    static let name = "espalier"
    static let server = "espalier_server"

    static func create(in cluster: EmbeddedPostgres) async throws {
        let pool = try pool(await cluster.url(user: "postgres", database: "postgres"))
        _ = try await pool.run("CREATE ROLE espalier_server LOGIN")
        _ = try await pool.run("CREATE DATABASE espalier")
    }

    /// For the owner, whose statements have no time limit because they create up to 100,000 tenants.
    static func pool(_ url: String) throws -> DatabasePool {
        var configuration = DatabasePool.Configuration(url: url, maximumConnections: 1, applicationName: "bench")
        configuration.statementTimeout = .seconds(600)
        return try DatabasePool(configuration, logger: logger)
    }

    /// As the service.
    static func serverPool(_ url: String) throws -> DatabasePool {
        // A closing extends its lease over the second connection.
        try DatabasePool(.init(url: url, maximumConnections: 2, applicationName: "bench"), logger: logger)
    }

    static let logger = {
        var logger = Logger(label: "bench") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }()
}
