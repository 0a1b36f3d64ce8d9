import Access
import Foundation
import Postgres
import Web

/// A connection with all that the API tells of it: its keys, the doctor's last word, whether it serves.
struct ConnectionDetails: Sendable {
    let connection: Connection
    let emailSources: [String]
    let relinkUntil: Date?
    let check: ConnectionCheck?
    /// Of the shared one, the platform has to say.
    var isServing: Bool
    let createdAt: Date
    let updatedAt: Date
    /// The newest first.
    let keys: [AppleKey]

    /// The key that signs, or, before there is one, the one that shall.
    var signing: AppleKey? { keys.first { $0.state == .current } ?? keys.first { $0.state == .next } }
    var tag: EntityTag { EntityTag(updatedAt) }

    private init(_ row: Row, keys: [AppleKey]) throws {
        let connection = try Connection(row)
        self.connection = connection
        emailSources = try row.get("email_sources")
        relinkUntil = try row.get("relink_until")
        check = try ConnectionCheck(row)
        isServing = try row.get("serving")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
        self.keys = keys.filter { $0.connection == connection.id }
    }

    /// From the answers to `find`, `lock` or `page`.
    static func all(_ found: [Rows]) throws -> [ConnectionDetails] {
        let keys = try found[1].map(AppleKey.init)
        return try found[0].map { try ConnectionDetails($0, keys: keys) }
    }

    /// One connection. The platform's needs no id: there is only one.
    static func find(_ id: ID<Connection>?, owner: UUID) -> [SQL] {
        [
            """
            SELECT c.id, c.tenant_id, c.team_id, c.services_id, c.bundle_ids, c.email_sources, c.relink_until, c.checked_at,
                c.check_outcome, c.check_steps, c.created_at, c.updated_at,
                EXISTS (SELECT FROM tenant t WHERE t.id = c.tenant_id AND t.connection_id = c.id) AS serving
            FROM connection c WHERE c.tenant_id = \(owner) AND (\(id) IS NULL OR c.id = \(id))
            """,
            keys(of: id, owner: owner),
        ]
    }

    /// The same, held until the transaction ends: every change of a connection or of its keys goes through here.
    static func lock(_ id: ID<Connection>?, owner: UUID) -> [SQL] {
        [
            """
            SELECT c.id, c.tenant_id, c.team_id, c.services_id, c.bundle_ids, c.email_sources, c.relink_until, c.checked_at,
                c.check_outcome, c.check_steps, c.created_at, c.updated_at,
                EXISTS (SELECT FROM tenant t WHERE t.id = c.tenant_id AND t.connection_id = c.id) AS serving
            FROM connection c WHERE c.tenant_id = \(owner) AND (\(id) IS NULL OR c.id = \(id)) FOR UPDATE OF c
            """,
            keys(of: id, owner: owner),
        ]
    }

    static func page(_ page: PageRequest, owner: UUID) -> [SQL] {
        [
            """
            SELECT c.id, c.tenant_id, c.team_id, c.services_id, c.bundle_ids, c.email_sources, c.relink_until, c.checked_at,
                c.check_outcome, c.check_steps, c.created_at, c.updated_at,
                EXISTS (SELECT FROM tenant t WHERE t.id = c.tenant_id AND t.connection_id = c.id) AS serving
            FROM connection c WHERE c.tenant_id = \(owner) AND c.id < \(page.upper) AND c.id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN c.id END ASC, c.id DESC LIMIT \(page.fetched)
            """,
            keys(of: nil, owner: owner),
        ]
    }

    private static func keys(of id: ID<Connection>?, owner: UUID) -> SQL {
        """
        SELECT id, tenant_id, connection_id, key_id, sealed_pem, state, fingerprint, proven_at, last_used_at, usable_until,
            created_at, updated_at
        FROM apple_key WHERE tenant_id = \(owner) AND (\(id) IS NULL OR connection_id = \(id)) ORDER BY id DESC
        """
    }

    /// Moves the connection's version on, for a change of its keys.
    func touch(at now: Date) -> SQL {
        """
        UPDATE connection SET updated_at = \(now.asChange(after: updatedAt))
        WHERE tenant_id = \(connection.owner) AND id = \(connection.id)
        """
    }
}

/// A connection as callers see it, with what has to be typed into Apple's portal.
struct ConnectionReply: Encodable, Sendable {
    struct Check: Encodable, Sendable {
        let outcome: ConnectionCheck.Outcome
        let checked_at: Date
        let steps: [ConnectionCheck.Step]
    }

    struct ApplePortal: Encodable, Sendable {
        let return_url, domain, notification_url: String
        let email_sources: [String]
    }

    let id: ID<Connection>
    let object = "connection"
    let ownership: Connection.Ownership
    let team_id, services_id: String
    let bundle_ids, email_sources: [String]
    let serving: Bool
    let relink_until: Date?
    let check: Check?
    let apple_keys: [AppleKeyReply]
    let apple_portal: ApplePortal
    let created_at, updated_at: Date

    /// - Parameters:
    ///   - publicURL: where browsers and Apple reach this server.
    ///   - path: below it, what is the owner's: `/t/{slug}`, or nothing for the platform.
    init(_ details: ConnectionDetails, publicURL: String, path: String) {
        let connection = details.connection
        (id, ownership, team_id, services_id) = (connection.id, connection.ownership, connection.teamID, connection.servicesID)
        (bundle_ids, email_sources, serving) = (connection.bundleIDs, details.emailSources, details.isServing)
        relink_until = details.relinkUntil
        check = details.check.map { Check(outcome: $0.outcome, checked_at: $0.checkedAt, steps: $0.steps) }
        apple_keys = details.keys.map(AppleKeyReply.init)
        apple_portal = ApplePortal(
            return_url: "\(publicURL)\(path)/auth/apple/callback", domain: URL(string: publicURL)?.host() ?? publicURL,
            notification_url: "\(publicURL)\(path)/auth/apple/notifications", email_sources: details.emailSources)
        (created_at, updated_at) = (details.createdAt, details.updatedAt)
    }
}
