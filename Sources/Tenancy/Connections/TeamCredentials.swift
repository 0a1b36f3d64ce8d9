package import Access
package import Apple
package import Foundation
import Postgres
package import Sealing

extension AppleClientCredentials {
    /// The credentials of a client of the team, signed with this key. The key is opened only to sign.
    /// - Parameter tenant: the tenant of the calls. On the shared connection, it is not the key's owner.
    package init(teamID: String, clientID: String, key: AppleKey, for tenant: UUID, keyring: Keyring) {
        let share = AppleShare(connection: key.connection.uuid, tenant: tenant)
        self.init(teamID: teamID, clientID: clientID, keyID: key.keyID, keyVersion: key.id.description, share: share) {
            try ApplePrivateKey(pem: key.open(with: keyring))
        }
    }

    /// All credentials for a client of the owner now, even if its connection is not in use. The current key comes first. Empty if the owner
    /// has no connection with that client, or no key for it.
    ///
    /// - Parameters:
    /// - clientID: a Services ID or a bundle ID.
    /// - database: the database of a tenant, or of the platform for itself.
    package static func all(
        teamID: String, clientID: String, in database: OwnerDatabase, keyring: Keyring, at now: Date
    ) async throws -> [AppleClientCredentials] {
        let owner = database.owner
        return try await database.run(
            """
            SELECT k.id, k.tenant_id, k.connection_id, k.key_id, k.sealed_pem, k.state, k.fingerprint, k.proven_at, k.last_used_at,
                k.usable_until, k.created_at, k.updated_at
            FROM connection c JOIN apple_key k ON k.tenant_id = c.tenant_id AND k.connection_id = c.id
                AND (k.state = 'current' OR k.state = 'previous' AND k.usable_until > \(now))
            WHERE c.tenant_id = \(owner) AND c.team_id = \(teamID) AND (c.services_id = \(clientID) OR \(clientID) = ANY(c.bundle_ids))
            ORDER BY k.state, c.created_at DESC
            """
        ).map { AppleClientCredentials(teamID: teamID, clientID: clientID, key: try AppleKey($0), for: owner, keyring: keyring) }
    }
}
