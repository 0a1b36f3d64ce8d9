package import Foundation
package import Postgres

/// A paying customer of the platform and the boundary that nothing of another crosses.
package struct Tenant: Identified, Sendable {
    package static let idPrefix = "tenant"

    package enum Plan: String, Codable, CaseIterable, SQLValue {
        case free, scale, enterprise

        /// Whether Apple credentials of its own are in the plan.
        package var mayBringOwnConnection: Bool { self == .enterprise }
    }

    package enum Status: String, Codable, CaseIterable, SQLValue {
        case active, suspended
        /// Nobody signs in any more, and its own API keys are refused; it can still be restored.
        case deleted
        /// All that is left is its name in the ledger.
        case purged
    }

    /// How long a deleted one can be restored, in seconds: 30 days.
    package static let grace: TimeInterval = 30 * 86400

    package let id: ID<Tenant>
    /// In its issuer, its Return URL and its tokens: never changes.
    package let slug: String
    package let name: String
    package let plan: Plan
    package let status: Status
    /// Its own connection, or nil: the shared one serves.
    package let connection: ID<Connection>?
    package let settings: Settings
    /// When a deleted one can no longer be restored.
    package let purgeAfter: Date?
    package let createdAt: Date
    package let updatedAt: Date

    package init(_ row: Row) throws {
        id = try row.get("id")
        slug = try row.get("slug")
        name = try row.get("name")
        plan = try row.get("plan")
        status = try row.get("status")
        connection = try row.get("connection_id")
        settings = try Settings(row)
        purgeAfter = try row.get("purge_after")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    /// A row if there is such a tenant, of any status.
    package static func exists(slug: String) -> SQL {
        "SELECT id FROM tenant WHERE slug = \(slug)"
    }

    package static func find(slug: String) -> SQL {
        """
        SELECT id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
            signing_key_days, purge_after, created_at, updated_at FROM tenant WHERE slug = \(slug)
        """
    }

    package static func find(_ id: ID<Tenant>) -> SQL {
        """
        SELECT id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
            signing_key_days, purge_after, created_at, updated_at FROM tenant WHERE id = \(id)
        """
    }

    /// For a decision: it stays as it is until the transaction ends.
    package static func lock(_ id: ID<Tenant>) -> SQL {
        """
        SELECT id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
            signing_key_days, purge_after, created_at, updated_at FROM tenant
        WHERE id = \(id) FOR UPDATE
        """
    }

    package static func insert(
        _ id: ID<Tenant>, slug: String, name: String, plan: Plan, settings: Settings = Settings(), at now: Date
    ) -> SQL {
        """
        INSERT INTO tenant (id, slug, name, plan, status, session_seconds, idle_seconds, profile_retention_days, signing_key_days,
            created_at, updated_at)
        VALUES (\(id), \(slug), \(name), \(plan), \(Status.active), \(settings.sessionSeconds), \(settings.idleSeconds),
            \(settings.profileRetentionDays), \(settings.signingKeyDays), \(now), \(now))
        RETURNING id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
            signing_key_days, purge_after, created_at, updated_at
        """
    }

    package static func use(_ connection: ID<Connection>, for tenant: ID<Tenant>, at now: Date) -> SQL {
        "UPDATE tenant SET connection_id = \(connection), updated_at = \(now) WHERE id = \(tenant)"
    }

    /// What `isSlug` asks for, in words.
    package static let slugRule = "It must have 1 to 63 characters of a-z, 0-9 and -, and neither begin nor end with -."

    /// 1 to 63 of `a-z 0-9 -`, not beginning or ending with `-`: it stands in host-like places.
    package static func isSlug(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        guard (1...63).contains(bytes.count), bytes.first != UInt8(ascii: "-"), bytes.last != UInt8(ascii: "-") else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }
}
