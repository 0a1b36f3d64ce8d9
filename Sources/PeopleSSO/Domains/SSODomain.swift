package import Access
import Domains
import Encoding
import Foundation
package import Postgres
import Web

/// A domain of the addresses of a tenant's members. A sign-in with such an address leads to the provider of the tenant.
package struct SSODomain: Identified, Sendable {
    package static let idPrefix = "ssodomain"

    package enum State: String, Codable, CaseIterable, SQLValue {
        /// The tenant has not proved that the domain belongs to it. Several tenants may wait for the same domain.
        case pending
        /// The addresses of the domain lead to the tenant's provider.
        case active
        /// As `active`, but the last look did not find the proof.
        case failing
        /// The proof was missing for too long.
        case inactive

        /// Whether the provider may speak for the domain.
        package var isProved: Bool { self == .active || self == .failing }
    }

    package let id: ID<SSODomain>
    /// In lower case. It never changes.
    package let domain: String
    /// The value of the proof. It is public.
    package let token: String
    package var state: State
    var verifiedAt, checkedAt: Date?
    /// When the proof is looked for again, while the domain is proved.
    var checkDueAt: Date
    var failingSince: Date?
    /// When a claim without a proof ends.
    let expiresAt: Date
    let createdAt: Date
    var updatedAt: Date

    /// How many domains a tenant can have, pending ones included.
    static let limit = 20
    /// How long a claim waits for its proof, and how long the proof of a domain may be missing: 7 days, in seconds.
    static let lifetimeOfClaim: TimeInterval = 7 * 86400
    static let grace: TimeInterval = 7 * 86400
    /// The time between two looks for a proof: a day, and an hour while it is missing. In seconds.
    private static let (interval, intervalOfFailing): (TimeInterval, TimeInterval) = (86400, 3600)

    /// The start of the name of the TXT record, before the domain, and of its value.
    static let (recordPrefix, valuePrefix) = ("_espalier-sso.", "espalier-sso=")

    init(_ id: ID<SSODomain>, domain: String, token: String, at now: Date) {
        (self.id, self.domain, self.token, state) = (id, domain, token, .pending)
        (verifiedAt, checkedAt, failingSince, checkDueAt) = (nil, nil, nil, now)
        (expiresAt, createdAt, updatedAt) = (now.addingTimeInterval(Self.lifetimeOfClaim), now, now)
    }

    /// Whether a claim has ended.
    func isExpired(at now: Date) -> Bool { state == .pending && expiresAt <= now }

    /// Looks for the proof.
    /// - Throws: `CancellationError`.
    func look(with proof: DomainProof) async throws -> DomainProof.Result {
        try await proof.look(for: Self.valuePrefix + token, inRecord: Self.recordPrefix + domain)
    }

    /// The domain after a look for its proof. Without an answer of a resolver, only the time of the look changes, because a resolver of the
    /// operator that fails must end no sign-in.
    func checked(_ result: DomainProof.Result, at now: Date) -> SSODomain {
        var changed = self
        changed.checkedAt = now
        switch result {
        case .found: (changed.state, changed.verifiedAt, changed.failingSince) = (.active, now, nil)
        case .missing where state.isProved:
            let since = failingSince ?? now
            (changed.state, changed.failingSince) = (now.timeIntervalSince(since) >= Self.grace ? .inactive : .failing, since)
        case .missing, .unknown: break
        }
        changed.checkDueAt = now.addingTimeInterval(changed.state == .failing ? Self.intervalOfFailing : Self.interval)
        if changed.state != state { changed.updatedAt = now.asChange(after: updatedAt) }
        return changed
    }

    /// The domain of an address, in lower case.
    package static func ofAddress(_ address: String) -> String? {
        let bytes = Array(address.utf8)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")), at + 1 < bytes.count else { return nil }
        return String(decoding: bytes[(at + 1)...], as: UTF8.self).asciiLowercased
    }
}

// MARK: Rows

extension SSODomain {
    package init(_ row: Row) throws {
        id = try row.get("id")
        domain = try row.get("domain")
        token = try row.get("token")
        state = try row.get("state")
        verifiedAt = try row.get("verified_at")
        checkedAt = try row.get("checked_at")
        checkDueAt = try row.get("check_due_at")
        failingSince = try row.get("failing_since")
        expiresAt = try row.get("expires_at")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    static func find(_ id: ID<SSODomain>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, domain, token, state, verified_at, checked_at, check_due_at, failing_since, expires_at, created_at, updated_at
        FROM sso_domain WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    static func find(domain: String, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, domain, token, state, verified_at, checked_at, check_due_at, failing_since, expires_at, created_at, updated_at
        FROM sso_domain WHERE tenant_id = \(tenant) AND domain = \(domain)
        """
    }

    /// Like `find`, and locks the domain for a transaction that changes it.
    static func lock(_ id: ID<SSODomain>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, domain, token, state, verified_at, checked_at, check_due_at, failing_since, expires_at, created_at, updated_at
        FROM sso_domain WHERE tenant_id = \(tenant) AND id = \(id) FOR UPDATE
        """
    }

    static func page(_ page: PageRequest, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, domain, token, state, verified_at, checked_at, check_due_at, failing_since, expires_at, created_at, updated_at
        FROM sso_domain WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }

    /// A tenant changes its domains one after another. Otherwise two requests could both create the last one.
    static func lockAll(of tenant: ID<Tenant>) -> SQL {
        "SELECT pg_advisory_xact_lock(1936944996, hashtext(\(tenant)::text))"
    }

    /// The schema refuses a second claim of the tenant for the domain (`sso_domain_claim`).
    func insert(tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO sso_domain (tenant_id, id, domain, token, state, check_due_at, expires_at, created_at, updated_at)
        VALUES (\(tenant), \(id), \(domain), \(token), \(state), \(checkDueAt), \(expiresAt), \(createdAt), \(updatedAt))
        """
    }

    /// The schema refuses a domain that another tenant has proved (`sso_domain_proved`).
    func update(tenant: ID<Tenant>) -> SQL {
        """
        UPDATE sso_domain SET state = \(state), verified_at = \(verifiedAt), checked_at = \(checkedAt), check_due_at = \(checkDueAt),
            failing_since = \(failingSince), updated_at = \(updatedAt)
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    static func delete(_ id: ID<SSODomain>, of tenant: ID<Tenant>) -> SQL {
        "DELETE FROM sso_domain WHERE tenant_id = \(tenant) AND id = \(id)"
    }

    /// Returns a row if a domain is proved for a tenant.
    package static func isProved(_ domain: String, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id FROM sso_domain WHERE tenant_id = \(tenant) AND domain = \(domain) AND state IN ('active', 'failing')
        """
    }
}
