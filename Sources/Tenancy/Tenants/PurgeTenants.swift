package import Access
package import Foundation
package import Logging
import Postgres
import ServiceLifecycle

/// The data of a purged tenant in the platform's audit trail: no name, but the end of the tenant's own trail.
private struct Purged: Encodable {
    let id: ID<Tenant>
    let slug: String
    let status = Tenant.Status.purged
    let audit_events: Int
    let audit_hash: String?
}

/// Purges deleted tenants after their time for a restoration.
///
/// Every process runs this. One process at a time purges a tenant. The database decides by its own clock whether the time is over.
package struct PurgeTenants: Service {
    private let database: PlatformDatabase
    private let logger: Logger
    private let now: @Sendable () -> Date

    /// - Parameter database: a database with a long statement timeout, because one statement removes all data of a tenant.
    package init(database: PlatformDatabase, logger: Logger, now: @escaping @Sendable () -> Date) {
        (self.database, self.logger, self.now) = (database, logger, now)
    }

    /// Runs 30 to 90 s after the start, then about every hour, at different times in each process.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var pause = Duration.seconds(Double.random(in: 30...90))
            while true {
                try? await Task.sleep(for: pause)
                guard !Task.isCancelled else { return }
                do {
                    try await purgeDue()
                } catch {
                    guard !Task.isCancelled else { return }
                    logger.error("cannot search for deleted tenants", metadata: ["cause": "\(error)"])
                }
                pause = .seconds(Double.random(in: 2700...4500))
            }
        }
    }

    /// Purges every due tenant. A failure does not stop the others, and the next pass tries again.
    /// - Returns: the number of tenants that this process has purged.
    @discardableResult
    package func purgeDue() async throws -> Int {
        let due = try await database.run(
            """
            SELECT id FROM tenant WHERE status = 'deleted' AND purge_after <= LEAST(\(now()), clock_timestamp())
            ORDER BY purge_after LIMIT 1000
            """)
        var purged = 0
        for row in due {
            let tenant = try row.get("id", as: ID<Tenant>.self)
            do {
                if try await purge(tenant) { purged += 1 }
            } catch {
                guard !Task.isCancelled else { throw CancellationError() }
                logger.error("cannot purge a deleted tenant", metadata: ["tenant": "\(tenant)", "cause": "\(error)"])
            }
        }
        return purged
    }

    /// Purges one tenant.
    /// - Returns: whether this call purged the tenant. False if it was restored, or purged by another process.
    private func purge(_ tenant: ID<Tenant>) async throws -> Bool {
        let now = now()
        return try await database.transaction { db in
            let locked = try await db.run(
                """
                SELECT slug FROM tenant WHERE id = \(tenant) AND status = 'deleted' AND purge_after <= clock_timestamp()
                FOR UPDATE SKIP LOCKED
                """)
            guard let slug = try locked.first({ try $0.get("slug", as: String.self) }) else { return false }
            let trail = try await db.run(AuditEvent.last(of: tenant.uuid))
            let end = Purged(
                id: tenant, slug: slug, audit_events: try trail.first { try $0.get("sequence") } ?? 0,
                audit_hash: try trail.first { try $0.get("hash") })
            guard try await db.run("SELECT purge_tenant(\(tenant)) AS purged")[0].get("purged") else { return false }
            _ = try await db.run(
                AuditEvent.insert("purgeTenant", of: tenant.description, owner: .platform, by: .system, after: end, at: now))
            return true
        }
    }
}
