package import Access
import Encoding
package import Foundation
package import Postgres
package import Tenancy
import Web

/// A host name at which a tenant wants its users to sign in.
package struct Domain: Identified, Sendable {
    package static let idPrefix = "domain"

    package enum State: String, Codable, CaseIterable, SQLValue {
        /// The tenant has not proved that the host belongs to it. Several tenants may wait for the same host.
        case pending
        /// The host serves the tenant.
        case active
        /// The host serves the tenant, but the last look did not find its proof, or no look got an answer for 2 days.
        case failing
        /// The proof was missing for too long. The host does not serve the tenant.
        case inactive

        /// Whether the host serves the tenant.
        var isServing: Bool { self == .active || self == .failing }
    }

    package let id: ID<Domain>
    /// In lower case. It never changes.
    package let host: String
    /// The value of the proof. It is public.
    package let token: String
    package var state: State
    var isPrimary: Bool
    /// Whether the tenant's address below the public URL is switched off. Only the primary domain has this.
    var isExclusive: Bool
    /// When a proof was last found.
    var verifiedAt: Date?
    /// When the proof was last looked for.
    var checkedAt: Date?
    /// When the proof is looked for again, while the host serves the tenant.
    var checkDueAt: Date
    /// The time of the look that made the domain failing, later by the time in which no resolver answered. Nil while the proof
    /// is there.
    var failingSince: Date?
    /// The time from which each look has found the proof. Nil unless the domain is active.
    var provedSince: Date?
    /// When a claim without a proof ends.
    let expiresAt: Date
    let createdAt: Date
    var updatedAt: Date

    /// How many domains a tenant can have, pending ones included.
    static let limit = 20
    /// How many hosts a tenant can have lost in 30 days before it claims another one.
    static let mostLost = 50
    static let windowOfLost: TimeInterval = 30 * 86400
    /// How long a claim waits for its proof, and how long the proof of a domain may be missing: 7 days, in seconds.
    static let lifetimeOfClaim: TimeInterval = 7 * 86400
    static let grace: TimeInterval = 7 * 86400
    /// How old the last proof may be if nobody can say whether it is still there: 2 days, in seconds.
    private static let longestDoubt: TimeInterval = 2 * 86400

    /// The time between two looks for a proof: a day, and an hour while it is missing. In seconds.
    private static let (interval, intervalOfFailing): (TimeInterval, TimeInterval) = (86400, 3600)

    init(_ id: ID<Domain>, host: String, token: String, at now: Date) {
        (self.id, self.host, self.token, state) = (id, host, token, .pending)
        (isPrimary, isExclusive, verifiedAt, checkedAt, failingSince, provedSince) = (false, false, nil, nil, nil, nil)
        (checkDueAt, expiresAt, createdAt, updatedAt) = (now, now.addingTimeInterval(Self.lifetimeOfClaim), now, now)
    }

    /// Whether a claim has ended.
    func isExpired(at now: Date) -> Bool { state == .pending && expiresAt <= now }

    /// Whether nobody has been able to say for too long whether the proof is still there. The last look got no answer either: a server that
    /// was stopped, or whose clock has changed, first looks once more.
    private func isInDoubt(at now: Date) -> Bool {
        guard let verifiedAt, let checkedAt, checkedAt > verifiedAt else { return false }
        return now.timeIntervalSince(verifiedAt) >= Self.longestDoubt
    }

    /// The domain after a look for its proof.
    func checked(_ result: DomainProof.Result, at now: Date) -> Domain {
        var changed = self
        changed.checkedAt = now
        switch result {
        case .found:
            (changed.state, changed.verifiedAt, changed.failingSince, changed.provedSince) = (.active, now, nil, provedSince ?? now)
        // A host whose name servers fail may belong to somebody else.
        case .unknown where state == .active && isInDoubt(at: now):
            (changed.state, changed.failingSince, changed.provedSince) = (.failing, now, nil)
        // A resolver of the operator that fails must make no domain inactive. So the time without an answer does not count.
        case .unknown where state == .failing:
            changed.failingSince = failingSince.map { min(now, $0 + max(0, now.timeIntervalSince(checkedAt ?? now))) }
        // Nobody can say whether the proof is there, so the state stays for now.
        case .unknown: break
        case .missing where state.isServing:
            let since = failingSince ?? now
            (changed.state, changed.failingSince, changed.provedSince) = (.failing, since, nil)
            guard now.timeIntervalSince(since) >= Self.grace else { break }
            (changed.state, changed.isPrimary, changed.isExclusive) = (.inactive, false, false)
        case .missing: break
        }
        changed.checkDueAt = now.addingTimeInterval(changed.state == .failing ? Self.intervalOfFailing : Self.interval)
        if changed.state != state { changed.updatedAt = now.asChange(after: updatedAt) }
        return changed
    }
}

// MARK: Rows

extension Domain {
    init(_ row: Row) throws {
        id = try row.get("id")
        host = try row.get("host")
        token = try row.get("token")
        state = try row.get("state")
        isPrimary = try row.get("is_primary")
        isExclusive = try row.get("is_exclusive")
        verifiedAt = try row.get("verified_at")
        checkedAt = try row.get("checked_at")
        checkDueAt = try row.get("check_due_at")
        failingSince = try row.get("failing_since")
        provedSince = try row.get("proved_since")
        expiresAt = try row.get("expires_at")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    static func find(_ id: ID<Domain>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, host, token, state, is_primary, is_exclusive, verified_at, checked_at, check_due_at, failing_since,
            proved_since, expires_at, created_at, updated_at
        FROM domain WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    static func find(host: String, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, host, token, state, is_primary, is_exclusive, verified_at, checked_at, check_due_at, failing_since,
            proved_since, expires_at, created_at, updated_at
        FROM domain WHERE tenant_id = \(tenant) AND host = \(host)
        """
    }

    /// The tenant's primary domain, locked for a transaction that changes it.
    static func lockPrimary(of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, host, token, state, is_primary, is_exclusive, verified_at, checked_at, check_due_at, failing_since,
            proved_since, expires_at, created_at, updated_at
        FROM domain WHERE tenant_id = \(tenant) AND is_primary FOR UPDATE
        """
    }

    /// Like `find`, and locks the domain for a transaction that changes it.
    static func lock(_ id: ID<Domain>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, host, token, state, is_primary, is_exclusive, verified_at, checked_at, check_due_at, failing_since,
            proved_since, expires_at, created_at, updated_at
        FROM domain WHERE tenant_id = \(tenant) AND id = \(id) FOR UPDATE
        """
    }

    static func page(_ page: PageRequest, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, host, token, state, is_primary, is_exclusive, verified_at, checked_at, check_due_at, failing_since,
            proved_since, expires_at, created_at, updated_at
        FROM domain WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }

    /// A tenant changes its domains one after another. Otherwise two requests could both create the last one, or make another one primary.
    static func lockAll(of tenant: ID<Tenant>) -> SQL {
        "SELECT pg_advisory_xact_lock(1685024110, hashtext(\(tenant)::text))"
    }

    /// The schema refuses a second claim of the tenant for the host (`domain_claim`).
    func insert(tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO domain (tenant_id, id, host, token, state, check_due_at, expires_at, created_at, updated_at)
        VALUES (\(tenant), \(id), \(host), \(token), \(state), \(checkDueAt), \(expiresAt), \(createdAt), \(updatedAt))
        """
    }

    /// The schema refuses a host that serves another tenant (`domain_host`).
    func update(tenant: ID<Tenant>) -> SQL {
        """
        UPDATE domain SET state = \(state), is_primary = \(isPrimary), is_exclusive = \(isExclusive), verified_at = \(verifiedAt),
            checked_at = \(checkedAt), check_due_at = \(checkDueAt), failing_since = \(failingSince), proved_since = \(provedSince),
            updated_at = \(updatedAt)
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }
}

// MARK: For the configuration of tenants

extension Domain {
    /// The own hosts of a tenant, for the cached configuration of tenants.
    package static let ofTenants = DomainSource(
        select: { tenant in
            """
            SELECT host, is_primary, is_exclusive, proved_since FROM domain
            WHERE tenant_id = \(part: tenant) AND state IN ('active', 'failing')
            ORDER BY is_primary DESC, id
            """
        },
        addresses: { rows in TenantAddresses(serving: try rows.map(ServingHost.init)) })
}

/// A host that serves a tenant.
struct ServingHost: Sendable {
    let host: String
    let isPrimary, isExclusive: Bool
    let provedSince: Date?

    init(_ row: Row) throws {
        host = try row.get("host")
        isPrimary = try row.get("is_primary")
        isExclusive = try row.get("is_exclusive")
        provedSince = try row.get("proved_since")
    }
}

extension TenantAddresses {
    init(serving hosts: [ServingHost]) {
        let primary = hosts.first { $0.isPrimary }
        let since = hosts.compactMap { host in host.provedSince.map { (host.host, $0) } }
        self.init(
            hosts: hosts.map(\.host), primary: primary?.host, isExclusive: primary?.isExclusive ?? false,
            proofs: Dictionary(since) { $1 })
    }
}
