package import Access
package import Foundation
package import Postgres
import Tenancy

/// The statements on users that other targets run.
extension User {
    /// Deletes a user with its identities.
    package static func delete(_ user: ID<User>, of tenant: ID<Tenant>) -> SQL {
        "DELETE FROM tenant_user WHERE tenant_id = \(tenant) AND id = \(user)"
    }

    /// Selects users whose retention is over.
    package static func dueErasures(at now: Date, after last: Date, limit: Int) -> SQL {
        """
        SELECT tenant_id, id, erase_after FROM tenant_user WHERE erase_after <= \(now) AND erase_after >= \(last)
        ORDER BY erase_after LIMIT \(limit)
        """
    }

    /// Selects and locks a user whose retention is over.
    package static func lockDueErasure(of user: ID<User>, _ tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        SELECT created_at, deleted_at FROM tenant_user
        WHERE tenant_id = \(tenant) AND id = \(user) AND erase_after <= \(now) FOR UPDATE
        """
    }

    /// Marks a user as deleted. The tenant's retention decides when the profile is erased.
    package static func markDeleted(_ user: ID<User>, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE tenant_user u SET deleted_at = COALESCE(u.deleted_at, \(now)),
            erase_after = COALESCE(u.erase_after, \(now) + make_interval(days => t.profile_retention_days)),
            updated_at = GREATEST(\(now), u.updated_at + interval '1 microsecond')
        FROM (\(part: Tenant.limits)) AS t WHERE t.id = \(tenant) AND u.tenant_id = \(tenant) AND u.id = \(user)
        RETURNING u.erase_after
        """
    }

    /// Records a change of a user.
    package static func touch(_ user: ID<User>, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE tenant_user SET updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(tenant) AND id = \(user)
        """
    }

    /// Records whether mail through Apple's relay reaches a user.
    package static func setRelay(of user: ID<User>, _ tenant: ID<Tenant>, isDisabled: Bool, at moment: Date, now: Date) -> SQL {
        """
        UPDATE tenant_user SET email_disabled = \(isDisabled), email_event_at = \(moment),
            updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(tenant) AND id = \(user)
        """
    }
}
