import Foundation
import Logging
package import Postgres

/// A database of a test's own, cloned from a migrated template in the one cluster of the test run.
///
/// It has no owner who would drop it: the cluster lives in a temporary folder and goes with the process.
package struct TestDatabase: Sendable {
    /// As the role that owns the schema.
    package let ownerURL: String
    /// As the role the server runs under, which owns nothing.
    package let serverURL: String

    /// The repository's `migrations/`.
    package static var migrations: String { TestCluster.migrations }

    /// With all of the repository's migrations applied.
    package static func make() async throws -> TestDatabase {
        try await TestCluster.shared.database(template: .migrated)
    }

    /// With nothing in it.
    package static func empty() async throws -> TestDatabase {
        try await TestCluster.shared.database(template: .empty)
    }

    /// A pool that nobody has to run; few connections, since many tests share the cluster.
    package static func pool(_ url: String, _ change: (inout DatabasePool.Configuration) -> Void = { _ in }) throws -> DatabasePool {
        var configuration = DatabasePool.Configuration(url: url)
        configuration.maximumConnections = 4
        // On a busy machine everything takes longer; tests of these limits set their own.
        (configuration.waitingTime, configuration.lockTimeout, configuration.statementTimeout) = (.seconds(30), .seconds(30), .seconds(30))
        change(&configuration)
        return try DatabasePool(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}
