package import Access
package import Postgres

extension User {
    /// Selects the creations of users as a part of a feed, without those of deleted users.
    package static func creations(_ feed: FeedPage, _ kind: FeedPage.Kind, of tenant: ID<Tenant>) -> SQL {
        feed.select(kind, id: "id", source: "FROM tenant_user WHERE tenant_id = \(tenant)")
    }
}

extension UserReply {
    package static func all(_ ids: [ID<User>], of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, given_name, family_name, email, email_verified, is_private_email, email_disabled, deleted_at,
            erase_after, created_at, updated_at
        FROM tenant_user WHERE tenant_id = \(tenant) AND id = ANY(\(ids))
        """
    }
}
