package import Access
import Encoding
package import Foundation
package import Postgres
import Web

/// A role that a tenant defined: a named set of scopes.
package struct CustomRole: Identified, Sendable {
    package static let idPrefix = "role"

    package let id: ID<CustomRole>
    package var name: String
    /// It may contain a scope of a later version. This version does not know it, and it allows nothing here.
    package var scopes: [String]
    package let createdAt: Date
    package var updatedAt: Date

    /// The value of a membership's column `role`.
    static let columnValue = "custom"
    /// How many roles a tenant can define.
    static let most = 50

    /// The rule for a new name.
    static func refusal(ofName name: String) -> String? {
        let key = name.asciiLowercased
        guard BuiltInRole(rawValue: key) == nil, !key.isSame(as: columnValue) else { return "It is the name of a built-in role." }
        return DisplayName.refusal(of: name)
    }
}

// MARK: Rows

extension CustomRole {
    package init(_ row: Row) throws {
        id = try row.get("id")
        name = try row.get("name")
        scopes = try row.get("scopes")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    package static func find(_ id: ID<CustomRole>, of owner: UUID) -> SQL {
        "SELECT id, name, scopes, created_at, updated_at FROM custom_role WHERE tenant_id = \(owner) AND id = \(id)"
    }

    /// The role, locked for a transaction that changes it.
    static func lock(_ id: ID<CustomRole>, of owner: UUID) -> SQL {
        """
        SELECT id, name, scopes, created_at, updated_at FROM custom_role WHERE tenant_id = \(owner) AND id = \(id) FOR UPDATE
        """
    }

    /// The role, locked against changes of its scopes for a transaction that gives it.
    static func share(_ id: ID<CustomRole>, of owner: UUID) -> SQL {
        """
        SELECT id, name, scopes, created_at, updated_at FROM custom_role WHERE tenant_id = \(owner) AND id = \(id) FOR SHARE
        """
    }

    static func page(_ page: PageRequest, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, name, scopes, created_at, updated_at FROM custom_role
        WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }

    /// The schema refuses a second role with the name (`custom_role_name`).
    func insert(tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO custom_role (tenant_id, id, name, scopes, created_at, updated_at)
        VALUES (\(tenant), \(id), \(name), \(scopes), \(createdAt), \(updatedAt))
        """
    }

    func update(tenant: ID<Tenant>) -> SQL {
        """
        UPDATE custom_role SET name = \(name), scopes = \(scopes), updated_at = \(updatedAt)
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }
}
