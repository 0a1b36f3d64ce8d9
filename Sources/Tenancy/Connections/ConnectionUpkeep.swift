package import Access
package import Apple
package import Foundation
package import Logging
import Postgres
package import Sealing
import ServiceLifecycle
import Web

/// Runs the automatic work on connections: the doctor checks each once a day, and a previous key is retired after its overlap.
///
/// Every process may run it. Each takes only work that no other process has taken.
package struct ConnectionUpkeep: Service {
    private let database: PlatformDatabase
    private let doctor: Doctor
    private let logger: Logger
    private let now: @Sendable () -> Date

    /// How many connections are taken at a time, and how many of them are checked at once.
    private static let (batch, width) = (20, 4)

    package init(
        database: PlatformDatabase, keyring: Keyring, apple: AppleClient, logger: Logger, now: @escaping @Sendable () -> Date
    ) {
        (self.database, doctor, self.logger, self.now) = (database, Doctor(apple: apple, keyring: keyring), logger, now)
    }

    /// Makes a pass about every minute, until a graceful shutdown.
    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                // The random wait separates processes that started at the same time.
                try await Task.sleep(for: .seconds(Double.random(in: 45...75)))
                do { try await pass() } catch {
                    // The service ends only on cancellation, because a service that ends stops all others.
                    try Task.checkCancellation()
                    logger.warning("maintenance of connections failed; trying again", metadata: ["cause": "\(error)"])
                }
            }
        }
    }

    /// Processes all due connections and keys.
    package func pass() async throws {
        try await retireKeys()
        while try await checkConnections() == Self.batch {}
    }

    // MARK: Keys

    private func retireKeys() async throws {
        let now = now()
        let expired = try await database.run(
            """
            SELECT tenant_id, connection_id, id FROM apple_key WHERE state = 'previous' AND usable_until <= \(now) LIMIT 1000
            """
        ).map { row in
            (
                owner: try row.get("tenant_id", as: UUID.self), connection: try row.get("connection_id", as: ID<Connection>.self),
                id: try row.get("id", as: ID<AppleKey>.self)
            )
        }
        for (owner, connection, id) in expired {
            do { try await retire(id, of: connection, owner: owner, at: now) } catch {
                try Task.checkCancellation()
                if (error as? DatabaseError)?.isOutage == true { throw error }
                // The next pass tries again. Other keys do not wait.
                logger.warning("cannot retire a previous Apple key", metadata: ["key": "\(id)", "cause": "\(error)"])
            }
        }
    }

    private func retire(_ id: ID<AppleKey>, of connection: ID<Connection>, owner: UUID, at now: Date) async throws {
        try await database.restricted(to: owner).transaction { db in
            // Another process may have retired it already.
            guard let before = try await ConnectionDetails.lock(connection, owner: owner, in: db),
                let key = before.keys.first(where: { $0.id == id && $0.state == .previous && $0.usableUntil.map { $0 <= now } ?? false }
                )
            else { return }
            _ = try await db.run([AppleKey.retire(id, owner: owner, at: now), before.touch(at: now)])
            let after = try await ConnectionDetails.find(connection, owner: owner, in: db)
            _ = try await db.run(
                try AuditEvent.insert(
                    owner == .platform ? "retirePlatformAppleKey" : "retireAppleKey", of: id.description, owner: owner, by: .system,
                    before: AppleKeyReply(key), after: after?.keys.first { $0.id == id }.map(AppleKeyReply.init), at: now))
        }
    }

    // MARK: Checks

    /// Runs the doctor on a batch of due connections.
    /// - Returns: the number of taken connections.
    private func checkConnections() async throws -> Int {
        let now = now()
        // The claim lasts 10 minutes. If this process is killed, another one takes the connections after that.
        let taken = try await database.run(
            """
            UPDATE connection SET check_due_at = \(now + 600) WHERE (tenant_id, id) IN (
                SELECT c.tenant_id, c.id FROM connection c
                WHERE c.check_due_at <= \(now) AND (c.tenant_id = \(UUID.platform)
                    OR EXISTS (SELECT FROM tenant t WHERE t.id = c.tenant_id AND t.status = 'active'))
                ORDER BY c.check_due_at LIMIT \(Self.batch) FOR UPDATE OF c SKIP LOCKED)
            RETURNING tenant_id, id
            """
        ).map { row in (try row.get("tenant_id", as: UUID.self), try row.get("id", as: ID<Connection>.self)) }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (number, (owner, id)) in taken.enumerated() {
                if number >= Self.width { try await tasks.next() }
                tasks.addTask {
                    do { try await check(id, owner: owner) } catch {
                        try Task.checkCancellation()
                        // The connection is due again in 10 minutes. The others do not wait.
                        logger.warning("cannot check a connection", metadata: ["connection": "\(id)", "cause": "\(error)"])
                    }
                }
            }
            try await tasks.waitForAll()
        }
        return taken.count
    }

    private func check(_ id: ID<Connection>, owner: UUID) async throws {
        let database = database.restricted(to: owner)
        guard let details = try await ConnectionDetails.find(id, owner: owner, in: database) else { return }
        let key = details.signing
        let (check, fingerprint) = try await doctor.check(details, with: key, at: now())
        try await details.record(
            check, of: key, fingerprint: fingerprint, action: owner == .platform ? "checkPlatformConnection" : "checkConnection",
            by: .system, isAudited: false, in: database)
        if check.outcome == .failed {
            logger.warning("connection failed its check", metadata: ["connection": "\(id)", "steps": "\(check.failed)"])
        }
    }
}
