package import Access
package import Foundation
package import Logging
import Postgres
package import ServiceLifecycle
import Tenancy
import Web

/// Runs the automatic work on domains: it looks for the proof of each serving domain once a day, and deletes claims without a proof.
///
/// Every process may run it. Each takes only work that no other process has taken.
package struct DomainUpkeep: Service {
    private let database: PlatformDatabase
    private let proof: DomainProof
    private let publicURL: String
    private let logger: Logger
    private let now: @Sendable () -> Date

    /// How many domains are taken at a time, and how many of them are looked at at once.
    private static let (batch, width) = (20, 4)

    package init(
        database: PlatformDatabase, proof: DomainProof, publicURL: String, logger: Logger, now: @escaping @Sendable () -> Date
    ) {
        (self.database, self.proof, self.publicURL, self.logger, self.now) = (database, proof, publicURL, logger, now)
    }

    /// Makes a pass about every minute, until a graceful shutdown.
    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                // The random wait separates processes that started at the same time.
                try await Task.sleep(for: .seconds(Double.random(in: 45...75)))
                do { try await pass(at: now()) } catch {
                    // The service ends only on cancellation, because a service that ends stops all others.
                    try Task.checkCancellation()
                    logger.warning("maintenance of domains failed; trying again", metadata: ["cause": "\(error)"])
                }
            }
        }
    }

    /// Processes all due domains and ended claims.
    /// - Parameter now: read again for each batch, because servers that do not answer make a pass long.
    package func pass(at now: @autoclosure @Sendable () -> Date) async throws {
        try await deleteClaims(at: now())
        try await forgetLostHosts(at: now())
        var (looks, unanswered, isLast) = (0, 0, false)
        while !isLast {
            let results = try await look(at: now())
            looks += results.taken
            unanswered += results.unanswered
            isLast = results.taken < Self.batch
        }
        // Name servers of a tenant fail, or the resolvers of the operator, which concerns all tenants.
        guard unanswered > 0 else { return }
        logger.warning(
            "no resolver answered the questions for proofs of domains",
            metadata: ["unanswered": "\(unanswered)", "looks": "\(looks)", "resolvers": "\(proof.resolvers)"])
    }

    /// A year is longer than any certificate of a host is valid. Each process forgets them when it next reads everything.
    private func forgetLostHosts(at now: Date) async throws {
        _ = try await database.run("DELETE FROM lost_host WHERE tenant_id = \(UUID.platform) AND lost_at <= \(now - 365 * 86_400)")
    }

    private func deleteClaims(at now: Date) async throws {
        let ended = try await database.run(
            "SELECT tenant_id, id FROM domain WHERE state = 'pending' AND expires_at <= \(now) ORDER BY expires_at LIMIT 1000"
        ).map { row in (try row.get("tenant_id", as: ID<Tenant>.self), try row.get("id", as: ID<Domain>.self)) }
        for (tenant, id) in ended {
            try await database.restricted(to: tenant.uuid).transaction { db in
                let (_, found) = try await db.run(Domain.lockAll(of: tenant), Domain.lock(id, of: tenant))
                guard let domain = try found.first(Domain.init), domain.isExpired(at: now) else { return }
                _ = try await db.run([
                    "DELETE FROM domain WHERE tenant_id = \(tenant) AND id = \(id)",
                    try domain.deletion(of: tenant.uuid, by: .system, publicURL: publicURL, at: now),
                ])
            }
        }
    }

    /// Looks for the proofs of a batch of due domains.
    /// - Returns: the number of taken domains, and of looks without an answer.
    private func look(at now: Date) async throws -> (taken: Int, unanswered: Int) {
        // The claim lasts 10 minutes. If this process is killed, another one takes the domains after that.
        let taken = try await database.run(
            """
            UPDATE domain SET check_due_at = \(now + 600) WHERE (tenant_id, id) IN (
                SELECT d.tenant_id, d.id FROM domain d WHERE d.state IN ('active', 'failing') AND d.check_due_at <= \(now)
                ORDER BY d.check_due_at LIMIT \(Self.batch) FOR UPDATE OF d SKIP LOCKED)
            RETURNING tenant_id, id, host, token, state, is_primary, is_exclusive, verified_at, checked_at, check_due_at, failing_since,
                proved_since, expires_at, created_at, updated_at
            """
        ).map { row in (try row.get("tenant_id", as: ID<Tenant>.self), try Domain(row)) }
        let results = try await withThrowingTaskGroup(of: DomainProof.Result?.self) { tasks in
            var results: [DomainProof.Result?] = []
            for (number, (tenant, domain)) in taken.enumerated() {
                if number >= Self.width, let result = try await tasks.next() { results.append(result) }
                tasks.addTask {
                    do { return try await look(for: domain, of: tenant, at: now) } catch {
                        try Task.checkCancellation()
                        // The domain is due again in 10 minutes. The others do not wait.
                        logger.warning("cannot look for the proof of a domain", metadata: ["domain": "\(domain.id)", "cause": "\(error)"])
                        return nil
                    }
                }
            }
            for try await result in tasks { results.append(result) }
            return results
        }
        return (taken.count, results.count(where: { $0 == .unknown }))
    }

    private func look(for domain: Domain, of tenant: ID<Tenant>, at now: Date) async throws -> DomainProof.Result {
        let result = try await proof.result(for: domain)
        let changed = try await Domain.record(
            result, of: domain.id, tenant, by: .system, publicURL: publicURL, in: database.restricted(to: tenant.uuid), at: now)
        if let changed, changed.state != domain.state {
            logger.notice("a domain has another state", metadata: ["domain": "\(domain.id)", "state": "\(changed.state.rawValue)"])
        }
        return result
    }
}
