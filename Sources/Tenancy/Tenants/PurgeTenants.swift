import Access
package import Foundation
package import Logging
package import Postgres
import ServiceLifecycle

/// What the platform's audit trail keeps of a purged tenant: no name, and where its own trail ended.
private struct Purged: Encodable {
    let id: ID<Tenant>
    let slug: String
    let status = Tenant.Status.purged
    let audit_events: Int
    let audit_hash: String?
}

/// Ends deleted tenants whose time to be restored is over. Every process runs it: a tenant is one process's while it is purged,
/// and the database decides by its own clock whether its time is up.
package struct PurgeTenants: Service {
    private let pool: DatabasePool
    private let logger: Logger
    private let now: @Sendable () -> Date

    /// - Parameter pool: one whose statements may take long; all that a tenant has goes in one of them.
    package init(pool: DatabasePool, logger: Logger, now: @escaping @Sendable () -> Date) {
        (self.pool, self.logger, self.now) = (pool, logger, now)
    }

    /// Looks half a minute to a minute and a half after the start, then about every hour: not every process at once.
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
                    logger.error("deleted tenants could not be looked for", metadata: ["cause": "\(error)"])
                }
                pause = .seconds(Double.random(in: 2700...4500))
            }
        }
    }

    /// Purges every tenant that is due. One that cannot be does not stop the others, and is tried again the next time.
    /// - Returns: how many this process has purged.
    @discardableResult
    package func purgeDue() async throws -> Int {
        let due = try await PlatformDatabase(pool).run(
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
                logger.error("a deleted tenant could not be purged", metadata: ["tenant": "\(tenant)", "cause": "\(error)"])
            }
        }
        return purged
    }

    /// - Returns: whether it was done here, and not restored or purged elsewhere.
    private func purge(_ tenant: ID<Tenant>) async throws -> Bool {
        let now = now()
        return try await PlatformDatabase(pool).transaction { db in
            let locked = try await db.run(
                """
                SELECT slug FROM tenant WHERE id = \(tenant) AND status = 'deleted' AND purge_after <= clock_timestamp()
                FOR UPDATE SKIP LOCKED
                """)
            guard let slug = try locked.first({ try $0.get("slug", as: String.self) }) else { return false }
            let trail = try await db.run(
                """
                SELECT sequence, encode(hash, 'hex') AS hash FROM audit_event WHERE tenant_id = \(tenant)
                ORDER BY sequence DESC LIMIT 1
                """)
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
