package import Access
package import Postgres

extension User {
    /// Selects the creations of users as a part of a feed, without those of deleted users. A user whose Apple account was deleted is one
    /// of them, although the profile is kept for a while.
    package static func creations(_ feed: FeedPage, _ kind: FeedPage.Kind, of tenant: ID<Tenant>) -> SQL {
        feed.select(kind, id: "id", source: "FROM tenant_user WHERE tenant_id = \(tenant) AND deleted_at IS NULL")
    }
}

extension UserReply {
    /// Selects those of these users who are not deleted.
    package static func live(_ ids: [ID<User>], of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled, deleted_at,
            erase_after, created_at, updated_at
        FROM tenant_user WHERE tenant_id = \(tenant) AND id = ANY(\(ids)) AND deleted_at IS NULL
        """
    }
}
