import Foundation
import Logging
package import Postgres

/// A database that only one test has at a time, in the only cluster of the test run.
///
/// Nothing drops it, because the cluster is in a temporary folder and is removed with the process.
package struct TestDatabase: Sendable {
    let name: String
    /// For the role that owns the schema.
    package let ownerURL: String
    /// For the server's role, which owns nothing.
    package let serverURL: String

    /// The repository's `migrations/`.
    package static var migrations: String { TestCluster.migrations }

    /// A new one, with all of the repository's migrations applied.
    package static func make() async throws -> TestDatabase {
        try await TestCluster.shared.database(template: .migrated)
    }

    /// A new one, without tables.
    package static func empty() async throws -> TestDatabase {
        try await TestCluster.shared.database(template: .empty)
    }

    /// A pool that needs no `run`, with few connections, because many tests share the cluster.
    package static func pool(_ url: String, _ change: (inout DatabasePool.Configuration) -> Void = { _ in }) throws -> DatabasePool {
        var configuration = DatabasePool.Configuration(url: url)
        configuration.maximumConnections = 4
        // Long limits, because everything takes longer on a busy machine. Tests of these limits set their own.
        (configuration.waitingTime, configuration.lockTimeout, configuration.statementTimeout) = (.seconds(30), .seconds(30), .seconds(30))
        change(&configuration)
        return try DatabasePool(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}
