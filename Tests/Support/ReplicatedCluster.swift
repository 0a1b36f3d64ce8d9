package import EmbeddedPostgres
import Foundation
package import Postgres

/// Two PostgreSQL servers: a primary and its synchronous standby. A commit is acknowledged when both have it, so the loss of the primary
/// loses nothing.
package struct ReplicatedCluster: Sendable {
    package let primary: EmbeddedPostgres
    package let standby: EmbeddedPostgres

    /// Adds a standby to a running cluster, and returns when commits wait for it.
    package init(addingTo primary: EmbeddedPostgres, settings: [String: String]) async throws {
        self.primary = primary
        let folder = FileManager.default.temporaryDirectory.appending(path: "standby-\(UUID())")
        standby = EmbeddedPostgres(
            folder: folder.path(percentEncoded: false), settings: settings.merging(["max_connections": "500"]) { $1 }, isThrowAway: true)
        try await standby.copy(primary)
        try await standby.start()
        let administration = try await Self.administration(of: primary)
        // After the copy, so that the standby does not wait for another one after its promotion.
        _ = try await administration.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
        _ = try await administration.run("SELECT pg_reload_conf()")
        try await eventually("a synchronous standby") {
            try await !administration.run("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'").isEmpty
        }
    }

    /// A conninfo string with both servers. It leads to the primary.
    package func url(user: String, database: String) async throws -> String {
        var sockets: [String] = []
        for cluster in [primary, standby] {
            let url = await cluster.url(user: user, database: database)
            guard let host = URLComponents(string: url)?.queryItems?.first(where: { $0.name == "host" })?.value
            else { throw CocoaError(.formatting) }
            sockets.append(host)
        }
        return "user=\(user) dbname=\(database) host=\(sockets.joined(separator: ",")) port=5432,5432 target_session_attrs=read-write"
    }

    /// Kills the primary, and makes the standby the new one.
    /// - Parameter between: Runs while there is no primary.
    package func failOver(between: () async throws -> Void) async throws {
        try await primary.crash()
        try await between()
        try await promote()
    }

    /// Stops the primary, which ends all sessions and sends the rest of its log, and makes the standby the new one.
    package func switchOver() async throws {
        try await primary.shutDown()
        try await promote()
    }

    private func promote() async throws {
        let isPrimary: Bool = try await Self.administration(of: standby).run("SELECT pg_promote() AS done")[0].get("done")
        guard isPrimary else { throw NeverHappened(what: "the promotion", within: .seconds(60)) }
    }

    /// A pool of the primary, with all permissions.
    package func administration(of database: String) async throws -> DatabasePool {
        try await Self.administration(of: primary, database: database)
    }

    package func stop() async throws {
        try await standby.stop()
        try await primary.stop()
    }

    private static func administration(of cluster: EmbeddedPostgres, database: String = "postgres") async throws -> DatabasePool {
        // `pg_promote` waits up to 60 s.
        try TestDatabase.pool(await cluster.url(user: "postgres", database: database)) { $0.statementTimeout = .seconds(120) }
    }
}
