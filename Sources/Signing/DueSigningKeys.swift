package import Access
package import Foundation
package import Logging
import Postgres
package import Sealing
import Tenancy

/// Rotates the signing keys of all tenants that are due. A key that has signed for its full time gives way to the next key. A retired key
/// is deleted when no token that it signed can still be valid.
///
/// Every process may run this at any time. It skips a tenant whose keys another process is rotating. A tenant whose keys cannot be rotated
/// does not delay the others. A tenant without a sign-in has no keys and gets none.
package struct DueSigningKeys: Sendable {
    private let keyring: Keyring
    private let logger: Logger
    private let database: PlatformDatabase

    private static let batch = 100

    package init(database: PlatformDatabase, keyring: Keyring, logger: Logger) {
        (self.database, self.keyring, self.logger) = (database, keyring, logger)
    }

    /// Rotates the keys that are due by the database's clock, which is the same for all processes. With its own clock, a process that is
    /// ahead would rotate every tenant's keys too early, or delete keys that still verify tokens.
    package func rotate() async throws {
        guard let now = try await database.run("SELECT clock_timestamp() AS now").first({ try $0.get("now", as: Date.self) })
        else { return }
        try await rotate(at: now)
    }

    package func rotate(at now: Date) async throws {
        while try await removeSome(at: now) == Self.batch {}
        var last: Due?
        repeat {
            let due = try await page(after: last, at: now)
            for keys in due {
                do { try await rotate(keys, at: now) } catch {
                    try Task.checkCancellation()
                    if (error as? DatabaseError)?.isOutage == true { throw error }
                    // The next pass tries these keys again. The other tenants do not wait for that.
                    logger.warning("signing keys could not be rotated", metadata: ["tenant": "\(keys.tenant)", "cause": "\(error)"])
                }
            }
            last = due.count == Self.batch ? due.last : nil
        } while last != nil
    }

    /// - Returns: the number of deleted keys.
    private func removeSome(at now: Date) async throws -> Int {
        try await database.run(
            """
            DELETE FROM signing_key WHERE (tenant_id, id) IN (
                SELECT tenant_id, id FROM signing_key WHERE state = 'retired' AND published_until <= \(now)
                ORDER BY published_until LIMIT \(Self.batch) FOR UPDATE SKIP LOCKED)
            """
        ).affected
    }

    /// A tenant's keys of one algorithm that are due for a change.
    private struct Due {
        let tenant: ID<Tenant>
        let algorithm: SigningKey.Algorithm
        let hasNext: Bool
        /// How long the current key signs, in days.
        let days: Int

        init(_ row: Row) throws {
            tenant = try row.get("tenant_id")
            algorithm = try row.get("algorithm")
            hasNext = try row.get("has_next")
            days = try row.get("signing_key_days")
        }
    }

    private func page(after last: Due?, at now: Date) async throws -> [Due] {
        try await database.run(
            """
            SELECT k.tenant_id, k.algorithm, n.id IS NOT NULL AS has_next, t.signing_key_days
            FROM signing_key k JOIN (\(part: Tenant.limits)) AS t ON t.id = k.tenant_id
            LEFT JOIN signing_key n ON n.tenant_id = k.tenant_id AND n.algorithm = k.algorithm AND n.state = 'next'
            WHERE k.state = 'current' AND t.status = 'active'
                AND (k.tenant_id, k.algorithm) > (\(last?.tenant.uuid ?? .platform), \(last?.algorithm.rawValue ?? ""))
                AND (n.id IS NULL OR k.activated_at <= \(now) - make_interval(secs => 86400 * t.signing_key_days))
            ORDER BY k.tenant_id, k.algorithm LIMIT \(Self.batch)
            """
        ).map(Due.init)
    }

    private func rotate(_ due: Due, at now: Date) async throws {
        guard due.hasNext else {
            // An older version made no next key. The new key signs when it has been published for long enough.
            let next = try await NewSigningKey(due.algorithm, for: due.tenant, with: keyring, at: now)
            _ = try await database.restricted(to: due.tenant).run(next.insert(as: .next))
            return
        }
        do {
            // `promote` checks this again under the lock, because another process may have been faster.
            try await SigningKeyRotation(of: due.tenant, database: database.restricted(to: due.tenant), keyring: keyring).promote(
                due.algorithm, activatedUntil: now - Double(due.days) * 86400, by: .system, at: now)
        } catch SigningKeyRotation.Refusal.busy {
        } catch SigningKeyRotation.Refusal.none {
        } catch SigningKeyRotation.Refusal.tooSoon {
            // A later pass tries again.
        }
    }
}
