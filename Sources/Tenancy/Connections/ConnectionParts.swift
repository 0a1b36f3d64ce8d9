package import Access
package import Foundation
package import Postgres

/// Parts for statements of other targets.
extension Connection {
    /// Selects the teams of an owner's connections with this client, in use or not. It is one team, or two after a transfer.
    package static func teams(of clientID: String, owner: UUID) -> SQL {
        """
        SELECT DISTINCT team_id FROM connection
        WHERE tenant_id = \(owner) AND (services_id = \(clientID) OR \(clientID) = ANY(bundle_ids)) ORDER BY team_id
        """
    }

    /// Selects the owner, the ID, the team and the clients of every connection.
    package static let clients: SQL = "SELECT tenant_id, id, team_id, services_id, bundle_ids FROM connection"

    /// Selects the keys that Apple accepts at a time, with the team and the clients of their connections.
    package static func signingKeys(at now: Date) -> SQL {
        """
        SELECT k.id, k.tenant_id, k.connection_id, k.key_id, k.sealed_pem, k.state, k.fingerprint, k.proven_at, k.last_used_at,
            k.usable_until, k.created_at, k.updated_at, c.team_id, c.services_id, c.bundle_ids
        FROM connection c JOIN apple_key k ON k.tenant_id = c.tenant_id AND k.connection_id = c.id
            AND (k.state = 'current' OR k.state = 'previous' AND k.usable_until > \(now))
        """
    }
}

extension AppleKey {
    /// Selects the IDs of the master keys that sealed keys.
    package static let masterKeys: SQL = "SELECT DISTINCT substring(sealed_pem FROM 2 FOR 4) AS id FROM apple_key WHERE sealed_pem <> ''"
}

extension AppleKey {
    /// Writes when keys were last used. It skips a key that another transaction holds, because a promotion changes two keys.
    @Sendable
    package static func noteUses(owners: [UUID], ids: [UUID], times: [Date]) -> SQL {
        """
        WITH used AS (SELECT * FROM unnest(\(owners), \(ids), \(times)) AS used (owner, id, at)),
        locked AS (
            SELECT k.tenant_id, k.id, used.at FROM used JOIN apple_key k ON k.tenant_id = used.owner AND k.id = used.id
            FOR NO KEY UPDATE OF k SKIP LOCKED)
        UPDATE apple_key SET last_used_at = locked.at FROM locked
        WHERE apple_key.tenant_id = locked.tenant_id AND apple_key.id = locked.id
        AND (apple_key.last_used_at IS NULL OR apple_key.last_used_at < locked.at)
        """
    }
}

extension ActingContext {
    /// The ownership of the owner's connections: its own, or shared with every tenant.
    package var ownership: Connection.Ownership { owner == .platform ? .shared : .own }
}
