package import Access
import Encoding
package import Foundation
package import Postgres
package import Sealing

extension PersonSession {
    /// Whether the session acts for a tenant that requires its own provider: the provider started it, or a passkey of an owner did, in case
    /// the provider fails.
    package func satisfiesProvider(of tenant: UUID, as role: Role) -> Bool {
        onlyTenant?.uuid == tenant || role == .builtIn(.owner) && (methods.has("hwk") || methods.has("swk"))
    }
}

// MARK: Rows

extension PersonSession {
    package init(_ row: Row) throws {
        self.init(
            id: try row.get("id"), person: try row.get("person_id"), kind: try row.get("kind"), methods: try row.get("methods"),
            onlyTenant: try row.get("only_tenant_id"), authenticatedAt: try row.get("authenticated_at"),
            createdAt: try row.get("created_at"), lastUsedAt: try row.get("last_used_at"), expiresAt: try row.get("expires_at"),
            endedAt: try row.get("ended_at"), digest: try row.get("digest"), boundDigest: try row.get("bound_digest"))
    }

    /// A new session, before it is stored.
    package struct New: Sendable {
        package let id: ID<PersonSession>
        package let person: ID<Person>
        package let kind: Kind
        package let methods: [String]
        package let onlyTenant: ID<Tenant>?
        /// When the person gave all factors. Nil for now.
        package let authenticatedAt: Date?
        package let userAgent, address: String?

        package init(
            _ id: ID<PersonSession>, of person: ID<Person>, _ kind: Kind, methods: [String], onlyTenant: ID<Tenant>? = nil,
            authenticatedAt: Date? = nil, userAgent: String?, address: String?
        ) {
            (self.id, self.person, self.kind, self.methods, self.onlyTenant) = (id, person, kind, methods, onlyTenant)
            (self.authenticatedAt, self.userAgent, self.address) = (authenticatedAt, userAgent, address)
        }

        package func insert(_ secret: Secret, keyring: Keyring, at now: Date) -> SQL {
            let digest = keyring.digest(secret.revealBytes(), purpose: PersonSession.digestPurpose)
            let bound = keyring.bind(digest, to: PersonSession.context(id))
            let expiresAt = now.addingTimeInterval(PersonSession.lifetime(of: kind, onlyTenant: onlyTenant))
            return """
                INSERT INTO person_session (id, person_id, kind, digest, bound_digest, methods, only_tenant_id, authenticated_at, created_at,
                    last_used_at, expires_at, user_agent, address)
                VALUES (\(id), \(person), \(kind), \(digest), \(bound), \(methods), \(onlyTenant), \(authenticatedAt ?? now), \(now),
                    \(now), \(expiresAt), \(userAgent), \(address))
                """
        }
    }

    /// Finds a session by the digests of its secret. A session from before the end of all sessions of its person has ended, too.
    package static func find(digests: [[UInt8]]) -> SQL {
        """
        SELECT s.id, s.person_id, s.kind, s.methods, s.only_tenant_id, s.authenticated_at, s.created_at, s.last_used_at, s.expires_at,
            CASE WHEN s.created_at < p.sessions_valid_after THEN LEAST(s.ended_at, p.sessions_valid_after) ELSE s.ended_at END AS ended_at,
            s.digest, s.bound_digest
        FROM person_session AS s JOIN person AS p ON p.tenant_id = s.tenant_id AND p.id = s.person_id
        WHERE s.tenant_id = \(UUID.platform) AND s.digest = ANY(\(digests))
        """
    }

    /// Records a use, for the limit of the time without one.
    package static func touch(_ id: ID<PersonSession>, at now: Date) -> SQL {
        """
        UPDATE person_session SET last_used_at = GREATEST(last_used_at, \(now))
        WHERE tenant_id = \(UUID.platform) AND id = \(id) AND ended_at IS NULL
        """
    }

    /// Ends the session of a browser that signs in again, by the digests of its secret. It may be another person's.
    package static func replace(digests: [[UInt8]], at now: Date) -> SQL {
        """
        UPDATE person_session SET ended_at = \(now), ended_reason = \(EndReason.replaced)
        WHERE tenant_id = \(UUID.platform) AND digest = ANY(\(digests)) AND ended_at IS NULL
        """
    }

    /// The condition that a session `s` of an account `p` is active, as in `isActive(at:)`.
    static func isActive(at now: Date) -> SQL {
        """
        s.ended_at IS NULL AND s.expires_at > \(now) AND s.created_at >= COALESCE(p.sessions_valid_after, s.created_at)
            AND s.last_used_at > CASE s.kind WHEN \(Kind.browser) THEN \(now.addingTimeInterval(-Kind.browser.idleTime))
                ELSE \(now.addingTimeInterval(-Kind.terminal.idleTime)) END
        """
    }

    /// The addresses of the sessions of a person that the table still has.
    package static func addresses(of person: ID<Person>) -> SQL {
        """
        SELECT DISTINCT address FROM person_session
        WHERE tenant_id = \(UUID.platform) AND person_id = \(person) AND address IS NOT NULL LIMIT 1000
        """
    }

    package static func find(_ id: ID<PersonSession>) -> SQL {
        """
        SELECT id, person_id, kind, methods, only_tenant_id, authenticated_at, created_at, last_used_at, expires_at, ended_at, digest,
            bound_digest
        FROM person_session WHERE tenant_id = \(UUID.platform) AND id = \(id)
        """
    }

    /// Locks a session that has not ended, for a transaction that starts another one with its permission. It returns no row otherwise.
    package static func lock(active id: ID<PersonSession>, of person: ID<Person>, at now: Date) -> SQL {
        """
        SELECT s.id FROM person_session AS s JOIN person AS p ON p.tenant_id = s.tenant_id AND p.id = s.person_id
        WHERE s.tenant_id = \(UUID.platform) AND s.id = \(id) AND s.person_id = \(person) AND s.ended_at IS NULL
            AND s.expires_at > \(now) AND (p.sessions_valid_after IS NULL OR s.created_at >= p.sessions_valid_after)
        FOR SHARE OF s
        """
    }

    /// - Parameter tenant: ends the session only if it acts for this tenant only. Nil for each session.
    package static func end(
        _ id: ID<PersonSession>, of person: ID<Person>, onlyTenant tenant: ID<Tenant>? = nil, _ reason: EndReason, at now: Date
    ) -> SQL {
        """
        UPDATE person_session SET ended_at = \(now), ended_reason = \(reason)
        WHERE tenant_id = \(UUID.platform) AND id = \(id) AND person_id = \(person) AND ended_at IS NULL
            AND only_tenant_id IS NOT DISTINCT FROM COALESCE(\(tenant), only_tenant_id)
        """
    }

    /// Writes when sessions were last used. Rows are locked in the order of their IDs, so two processes that write the same ones cannot
    /// deadlock.
    @Sendable
    package static func noteUses(owners: [UUID], ids: [UUID], times: [Date]) -> SQL {
        """
        WITH used AS (SELECT * FROM unnest(\(owners), \(ids), \(times)) AS used (owner, id, at)),
        locked AS (
            SELECT s.tenant_id, s.id, used.at FROM used JOIN person_session s ON s.tenant_id = used.owner AND s.id = used.id
            ORDER BY s.tenant_id, s.id FOR NO KEY UPDATE OF s)
        UPDATE person_session SET last_used_at = locked.at FROM locked
        WHERE person_session.tenant_id = locked.tenant_id AND person_session.id = locked.id AND person_session.last_used_at < locked.at
        """
    }

    /// Ends all sessions of a person except one.
    /// - Parameter tenant: ends only the sessions that act for this tenant only. Nil for all.
    package static func endOthers(
        of person: ID<Person>, than id: ID<PersonSession>?, onlyTenant tenant: ID<Tenant>? = nil, _ reason: EndReason, at now: Date
    ) -> SQL {
        """
        UPDATE person_session SET ended_at = \(now), ended_reason = \(reason)
        WHERE tenant_id = \(UUID.platform) AND person_id = \(person) AND ended_at IS NULL AND id IS DISTINCT FROM \(id)
            AND only_tenant_id IS NOT DISTINCT FROM COALESCE(\(tenant), only_tenant_id)
        """
    }

    /// Deletes sessions that ended before a time.
    static func forgetEnded(before end: Date, upTo batch: Int) -> SQL {
        """
        DELETE FROM person_session AS s USING (
            SELECT tenant_id, id FROM person_session WHERE expires_at < \(end) OR ended_at < \(end) LIMIT \(batch)) AS old
        WHERE s.tenant_id = old.tenant_id AND s.id = old.id
        """
    }
}
