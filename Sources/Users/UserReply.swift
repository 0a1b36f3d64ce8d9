package import Access
package import Foundation
package import Postgres
package import Web

/// A user in the REST API.
package struct UserReply: Encodable, Sendable {
    enum Status: String, Encodable {
        case active
        /// Nobody can sign in as this user, because the Apple account was deleted. The profile is erased later.
        case deleted
    }

    package let id: ID<User>
    let object = "user"
    package let given_name, family_name, email: String?
    package let email_verified, is_private_email, email_disabled: Bool
    let status: Status
    /// When Apple reported the deletion of the account, and when the profile is erased.
    package let deleted_at: Date?
    let erase_after: Date?
    package let created_at, updated_at: Date

    package init(_ row: Row) throws {
        id = try row.get("id")
        given_name = try row.get("given_name")
        family_name = try row.get("family_name")
        email = try row.get("email")
        email_verified = try row.get("email_verified")
        is_private_email = try row.get("is_private_email")
        email_disabled = try row.get("email_disabled")
        deleted_at = try row.get("deleted_at")
        erase_after = try row.get("erase_after")
        status = deleted_at == nil ? .active : .deleted
        created_at = try row.get("created_at")
        updated_at = try row.get("updated_at")
    }

    package static func find(_ id: ID<User>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled, deleted_at,
            erase_after, created_at, updated_at
        FROM tenant_user WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    package static func lock(_ id: ID<User>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled, deleted_at,
            erase_after, created_at, updated_at
        FROM tenant_user WHERE tenant_id = \(tenant) AND id = \(id) FOR UPDATE
        """
    }

    /// - Parameters:
    ///   - email: the whole address, in any case.
    ///   - search: the start of an address, or a part of a name, in any case. No character has a special meaning.
    package static func page(_ page: PageRequest, of tenant: ID<Tenant>, email: String?, search: String?) -> SQL {
        // The index finds users by address. They are sorted afterwards, because few users have the same address.
        switch (email, search) {
        case (let email?, _):
            """
            WITH found AS MATERIALIZED (
                SELECT id, given_name, family_name, email, email_key, email_verified, is_private_email, email_disabled, deleted_at,
                    erase_after, created_at, updated_at
                FROM tenant_user WHERE tenant_id = \(tenant) AND email_key = lower(\(email)))
            SELECT * FROM found
            WHERE id < \(page.upper) AND id > \(page.lower) AND (\(search) IS NULL OR starts_with(email_key, lower(\(search)))
                OR strpos(lower(concat_ws(' ', given_name, family_name)), lower(\(search))) > 0)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        case (nil, let search?) where search.utf8.contains(UInt8(ascii: "@")):
            """
            WITH found AS MATERIALIZED (
                SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled, deleted_at,
                    erase_after, created_at, updated_at
                FROM tenant_user WHERE tenant_id = \(tenant)
                    AND email_key >= lower(\(search)) AND email_key < lower(\(search)) || \("\u{10FFFF}"))
            SELECT * FROM found WHERE id < \(page.upper) AND id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        case (nil, let search?):
            """
            SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled, deleted_at,
                erase_after, created_at, updated_at
            FROM tenant_user WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
                AND (starts_with(email_key, lower(\(search)))
                    OR strpos(lower(concat_ws(' ', given_name, family_name)), lower(\(search))) > 0)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        case (nil, nil):
            """
            SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled, deleted_at,
                erase_after, created_at, updated_at
            FROM tenant_user WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        }
    }
}
