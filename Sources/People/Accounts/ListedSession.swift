package import Access
package import Foundation
package import Postgres

/// An active session as its person sees it in a list.
package struct ListedSession: Sendable {
    package let id: ID<PersonSession>
    package let kind: PersonSession.Kind
    package let createdAt, lastUsedAt: Date
    package let userAgent, address: String?

    package init(_ row: Row) throws {
        id = try row.get("id")
        kind = try row.get("kind")
        createdAt = try row.get("created_at")
        lastUsedAt = try row.get("last_used_at")
        userAgent = try row.get("user_agent")
        address = try row.get("address")
    }

    /// The newest active sessions of a person, at most 100.
    /// - Parameter tenant: returns only the sessions that act for this tenant only. Nil for all.
    package static func active(of person: ID<Person>, onlyTenant tenant: ID<Tenant>?, at now: Date) -> SQL {
        """
        SELECT s.id, s.kind, s.created_at, s.last_used_at, s.user_agent, s.address
        FROM person_session AS s JOIN person AS p ON p.tenant_id = s.tenant_id AND p.id = s.person_id
        WHERE s.tenant_id = \(UUID.platform) AND s.person_id = \(person) AND \(part: PersonSession.isActive(at: now))
            AND s.only_tenant_id IS NOT DISTINCT FROM COALESCE(\(tenant), s.only_tenant_id)
        ORDER BY s.id DESC LIMIT 100
        """
    }
}
