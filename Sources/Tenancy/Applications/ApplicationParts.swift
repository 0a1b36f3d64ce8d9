package import Access
package import Foundation
package import Postgres

/// Parts for statements of other targets.
extension Application {
    /// Selects the ID, the tenant, the name and the creation time of every application.
    package static let names: SQL = "SELECT id, tenant_id, name, created_at FROM application"

    /// Selects where each application wants logout tokens, and by which algorithm they are signed.
    package static let logoutTargets: SQL = "SELECT tenant_id, id, backchannel_logout_uri, signing_algorithm FROM application"

    /// Changes where an application may send browsers back to, unless nothing changes. For development.
    package static func move(_ id: ID<Application>, redirectURIs: [String], logoutURIs: [String], loginURL: String?) -> SQL {
        """
        UPDATE application SET redirect_uris = \(redirectURIs), logout_uris = \(logoutURIs), login_url = \(loginURL)
        WHERE id = \(id)
            AND (redirect_uris <> \(redirectURIs) OR logout_uris <> \(logoutURIs) OR login_url IS DISTINCT FROM \(loginURL))
        """
    }
}

/// Parts for statements of other targets.
extension ApplicationSecret {
    /// Selects secrets after a secret in the order of the table whose digests are not bound.
    package static func unbound(after owner: UUID, _ id: UUID, limit: Int) -> SQL {
        """
        SELECT tenant_id, id, application_id, digest FROM application_secret
        WHERE (tenant_id, id) > (\(owner), \(id)) AND bound_digest IS NULL ORDER BY tenant_id, id LIMIT \(limit)
        """
    }

    /// Whether there is a secret, and whether there is one with a bound digest, as conditions.
    package static let anyExists: SQL = "EXISTS (SELECT FROM application_secret)"
    package static let anyBoundExists: SQL = "EXISTS (SELECT FROM application_secret WHERE bound_digest IS NOT NULL)"
}
