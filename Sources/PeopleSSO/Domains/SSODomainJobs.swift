package import Access
package import Domains
package import Foundation
package import Logging
package import Postgres
package import ServiceLifecycle

/// The background work on the domains of members: it looks for the proof of each proved domain once a day, and deletes claims without one.
///
/// Every process may run it. Each takes only work that no other process has taken.
package struct SSODomainJobs: Sendable {
    private let pool: DatabasePool
    private let proof: DomainProof
    private let logger: Logger
    private let now: @Sendable () -> Date

    /// How many domains are taken at a time.
    private static let batch = 20

    package init(pool: DatabasePool, proof: DomainProof, logger: Logger, now: @escaping @Sendable () -> Date) {
        (self.pool, self.proof, self.logger, self.now) = (pool, proof, logger, now)
    }

    package var passes: [any Service] {
        [
            Recurring(.maintainSSODomains, every: .seconds(60), in: pool, logger: logger) { [self] database in
                try await pass(in: database, at: now())
            }
        ]
    }

    /// Processes all due domains and ended claims.
    /// - Parameter now: read again for each batch, because servers that do not answer make a pass long.
    package func pass(in database: PlatformDatabase, at now: @autoclosure @Sendable () -> Date) async throws {
        try await deleteClaims(in: database, at: now())
        while try await look(in: database, at: now()) == Self.batch {}
    }

    private func deleteClaims(in database: PlatformDatabase, at now: Date) async throws {
        let ended = try await database.run(
            "SELECT tenant_id, id FROM sso_domain WHERE state = 'pending' AND expires_at <= \(now) ORDER BY expires_at LIMIT 1000"
        ).map { row in (try row.get("tenant_id", as: ID<Tenant>.self), try row.get("id", as: ID<SSODomain>.self)) }
        for (tenant, id) in ended {
            try await database.restricted(to: tenant.uuid).transaction { db in
                let (_, found) = try await db.run(SSODomain.lockAll(of: tenant), SSODomain.lock(id, of: tenant))
                guard let domain = try found.first(SSODomain.init), domain.isExpired(at: now) else { return }
                _ = try await db.run([SSODomain.delete(id, of: tenant), try domain.deletion(of: tenant.uuid, by: .system, at: now)])
            }
        }
    }

    /// Looks for the proofs of a batch of due domains.
    /// - Returns: the number of taken domains.
    private func look(in database: PlatformDatabase, at now: Date) async throws -> Int {
        // The claim lasts 10 minutes. If this process is killed, another one takes the domains after that.
        let taken = try await database.run(
            """
            UPDATE sso_domain SET check_due_at = \(now + 600) WHERE (tenant_id, id) IN (
                SELECT d.tenant_id, d.id FROM sso_domain d WHERE d.state IN ('active', 'failing') AND d.check_due_at <= \(now)
                ORDER BY d.check_due_at LIMIT \(Self.batch) FOR UPDATE OF d SKIP LOCKED)
            RETURNING tenant_id, id, domain, token, state, verified_at, checked_at, check_due_at, failing_since, expires_at, created_at,
                updated_at
            """
        ).map { row in (try row.get("tenant_id", as: ID<Tenant>.self), try SSODomain(row)) }
        for (tenant, domain) in taken {
            do {
                let result = try await domain.look(with: proof)
                let changed = try await SSODomain.record(
                    result, of: domain.id, tenant, by: .system, in: database.restricted(to: tenant.uuid), at: now)
                if let changed, changed.state != domain.state {
                    logger.notice(
                        "a domain of members has another state",
                        metadata: ["domain": "\(domain.id)", "state": "\(changed.state.rawValue)"])
                }
            } catch {
                try Task.checkCancellation()
                // The domain is due again in 10 minutes. The others do not wait.
                logger.warning(
                    "cannot look for the proof of a domain of members", metadata: ["domain": "\(domain.id)", "cause": "\(error)"])
            }
        }
        return taken.count
    }
}
