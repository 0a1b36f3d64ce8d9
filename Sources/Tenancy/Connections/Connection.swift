package import Access
package import Foundation
package import Postgres

/// A binding to Apple: a tenant's own, or the platform's shared one.
package struct Connection: Identified, Sendable {
    package static let idPrefix = "connection"

    /// The owner of the connection. The ledger records it too, because the price may differ.
    package enum Ownership: String, Codable, CaseIterable, SQLValue {
        case own, shared
    }

    package let id: ID<Connection>
    /// The tenant's ID, or the platform's ID.
    package let owner: UUID
    package let teamID: String
    package let servicesID: String
    package let bundleIDs: [String]
    /// Until this time, a sign-in under this team can take over the user of another team.
    package let relinkUntil: Date?

    package var ownership: Ownership { owner == .platform ? .shared : .own }

    package init(_ row: Row) throws {
        id = try row.get("id")
        owner = try row.get("tenant_id")
        teamID = try row.get("team_id")
        servicesID = try row.get("services_id")
        bundleIDs = try row.get("bundle_ids")
        relinkUntil = try row.get("relink_until")
    }

    package func isRelinking(at now: Date) -> Bool {
        relinkUntil.map { now < $0 } ?? false
    }

    /// The connection that serves a tenant: its own, or the shared one without its own.
    package static func serving(tenantWithSlug slug: String) -> SQL {
        """
        SELECT c.id, c.tenant_id, c.team_id, c.services_id, c.bundle_ids,
            CASE WHEN t.connection_id IS NULL THEN t.shared_relink_until ELSE c.relink_until END AS relink_until
        FROM tenant t JOIN connection c
        ON CASE WHEN t.connection_id IS NULL THEN c.tenant_id = \(UUID.platform)
        ELSE c.tenant_id = t.id AND c.id = t.connection_id END
        WHERE t.slug = \(slug)
        """
    }

    package static func insert(
        _ id: ID<Connection>, owner: UUID, teamID: String, servicesID: String, bundleIDs: [String], at now: Date
    ) -> SQL {
        """
        INSERT INTO connection (tenant_id, id, team_id, services_id, bundle_ids, created_at, updated_at)
        VALUES (\(owner), \(id), \(teamID), \(servicesID), \(bundleIDs), \(now), \(now))
        """
    }
}
