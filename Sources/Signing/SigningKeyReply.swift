import Access
import Foundation
import Postgres
import Web

/// A signing key in the REST API and the audit trail, without its private half.
struct SigningKeyReply: Encodable, Sendable {
    /// The ID is also the `kid` of tokens and of the JWKS.
    let id: ID<SigningKey>
    let object = "signing_key"
    let algorithm: SigningKey.Algorithm
    let state: SigningKey.State
    /// When the key started to sign, and when it stopped.
    let activated_at, retired_at: Date?
    /// When the key leaves the JWKS.
    let published_until: Date?
    let created_at, updated_at: Date

    init(_ row: Row) throws {
        id = try row.get("id")
        algorithm = try row.get("algorithm")
        state = try row.get("state")
        activated_at = try row.get("activated_at")
        retired_at = try row.get("retired_at")
        published_until = try row.get("published_until")
        let created: Date = try row.get("created_at")
        created_at = created
        updated_at = [activated_at, retired_at].compactMap(\.self).reduce(created, max)
    }

    /// The rows in the order of the JWKS: current, next, retired.
    static func all(of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, algorithm, state, created_at, activated_at, retired_at, published_until FROM signing_key WHERE tenant_id = \(tenant)
        ORDER BY array_position(ARRAY['current', 'next', 'retired'], state), algorithm, id DESC
        """
    }

    static func page(_ page: PageRequest, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, algorithm, state, created_at, activated_at, retired_at, published_until FROM signing_key
        WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }
}
