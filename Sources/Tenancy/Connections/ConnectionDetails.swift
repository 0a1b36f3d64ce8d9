import Access
import Encoding
import Foundation
import Postgres
import Web

/// A connection with all data of its API representation: its keys, the doctor's last result, and whether it is in use.
struct ConnectionDetails: Sendable {
    let connection: Connection
    let emailSources: [String]
    let relinkUntil: Date?
    let check: ConnectionCheck?
    /// The caller sets this for the shared connection.
    var isServing: Bool
    let createdAt: Date
    let updatedAt: Date
    /// Newest first.
    let keys: [AppleKey]

    /// The current key. Without one, the next key.
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

    /// Finds one connection. The platform needs no ID, because it has only one.
    static func find(_ id: ID<Connection>?, owner: UUID, in db: some StatementRunner) async throws -> ConnectionDetails? {
        let (connections, keys) = try await db.run(find(id, owner: owner), keys(of: id, owner: owner))
        return try all(connections, keys: keys).first
    }

    /// Like `find`, and locks the connection until the transaction ends. Every change of a connection or its keys takes this lock.
    @discardableResult
    static func lock(_ id: ID<Connection>?, owner: UUID, in db: Transaction) async throws -> ConnectionDetails? {
        let (connections, keys) = try await db.run(lock(id, owner: owner), keys(of: id, owner: owner))
        return try all(connections, keys: keys).first
    }

    static func page(_ page: PageRequest, owner: UUID, in db: some StatementRunner) async throws -> [ConnectionDetails] {
        let (connections, keys) = try await db.run(Self.page(page, owner: owner), keys(of: nil, owner: owner))
        return try all(connections, keys: keys)
    }

    // MARK: SQL

    /// Parses the results of `find` and `keys`.
    static func all(_ connections: Rows, keys: Rows) throws -> [ConnectionDetails] {
        let keys = try keys.map(AppleKey.init)
        return try connections.map { try ConnectionDetails($0, keys: keys) }
    }

    static func find(_ id: ID<Connection>?, owner: UUID) -> SQL {
        """
        SELECT c.id, c.tenant_id, c.team_id, c.services_id, c.bundle_ids, c.email_sources, c.relink_until, c.checked_at,
            c.check_outcome, c.check_steps, c.created_at, c.updated_at,
            EXISTS (SELECT FROM tenant t WHERE t.id = c.tenant_id AND t.connection_id = c.id) AS serving
        FROM connection c WHERE c.tenant_id = \(owner) AND (\(id) IS NULL OR c.id = \(id))
        """
    }

    private static func lock(_ id: ID<Connection>?, owner: UUID) -> SQL {
        """
        SELECT c.id, c.tenant_id, c.team_id, c.services_id, c.bundle_ids, c.email_sources, c.relink_until, c.checked_at,
            c.check_outcome, c.check_steps, c.created_at, c.updated_at,
            EXISTS (SELECT FROM tenant t WHERE t.id = c.tenant_id AND t.connection_id = c.id) AS serving
        FROM connection c WHERE c.tenant_id = \(owner) AND (\(id) IS NULL OR c.id = \(id)) FOR UPDATE OF c
        """
    }

    private static func page(_ page: PageRequest, owner: UUID) -> SQL {
        """
        SELECT c.id, c.tenant_id, c.team_id, c.services_id, c.bundle_ids, c.email_sources, c.relink_until, c.checked_at,
            c.check_outcome, c.check_steps, c.created_at, c.updated_at,
            EXISTS (SELECT FROM tenant t WHERE t.id = c.tenant_id AND t.connection_id = c.id) AS serving
        FROM connection c WHERE c.tenant_id = \(owner) AND c.id < \(page.upper) AND c.id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN c.id END ASC, c.id DESC LIMIT \(page.fetched)
        """
    }

    static func keys(of id: ID<Connection>?, owner: UUID) -> SQL {
        """
        SELECT id, tenant_id, connection_id, key_id, sealed_pem, state, fingerprint, proven_at, last_used_at, usable_until,
            created_at, updated_at
        FROM apple_key WHERE tenant_id = \(owner) AND (\(id) IS NULL OR connection_id = \(id)) ORDER BY id DESC
        """
    }

    /// Increases the connection's version after a change of its keys.
    func touch(at now: Date) -> SQL {
        """
        UPDATE connection SET updated_at = \(now.asChange(after: updatedAt))
        WHERE tenant_id = \(connection.owner) AND id = \(connection.id)
        """
    }
}

/// A connection as callers see it, with the values to enter in Apple's portal.
struct ConnectionReply: Encodable, Sendable {
    struct Check: Encodable, Sendable {
        let outcome: ConnectionCheck.Outcome
        let checked_at: Date
        let steps: [ConnectionCheck.Step]
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

    init(_ details: ConnectionDetails, portal: ApplePortal) {
        let connection = details.connection
        (id, ownership, team_id, services_id) = (connection.id, connection.ownership, connection.teamID, connection.servicesID)
        (bundle_ids, email_sources, serving) = (connection.bundleIDs, details.emailSources, details.isServing)
        relink_until = details.relinkUntil
        check = details.check.map { Check(outcome: $0.outcome, checked_at: $0.checkedAt, steps: $0.steps) }
        apple_keys = details.keys.map(AppleKeyReply.init)
        apple_portal = portal
        (created_at, updated_at) = (details.createdAt, details.updatedAt)
    }
}

/// The values to enter in Apple's portal.
struct ApplePortal: Encodable, Sendable {
    struct AtOwnHost: Encodable, Sendable {
        enum State: String, Encodable {
            case active
            /// The last look did not find the proof of the domain, or no look got an answer for 2 days.
            case failing
        }

        let return_url, domain, notification_url: String
        let state: State
    }

    let return_url, domain, notification_url: String
    let email_sources: [String]
    /// The same at each own host of the tenant, the preferred one first. Absent without one.
    let own_hosts: [AtOwnHost]?

    /// - Parameters:
    ///   - publicURL: the URL of this server for browsers and Apple.
    ///   - path: the owner's path below it: `/t/{slug}`, or empty for the platform.
    ///   - addresses: the owner's addresses. If the one below the public URL is switched off, the preferred host replaces it.
    init(_ details: ConnectionDetails, publicURL: String, path: String, at addresses: TenantAddresses) {
        let hosts = addresses.hosts.map { host in
            let origin = HostName.origin(of: host, like: publicURL)
            return AtOwnHost(
                return_url: "\(origin)/auth/apple/callback", domain: host, notification_url: "\(origin)/auth/apple/notifications",
                state: addresses.isFailing(host) ? .failing : .active)
        }
        if addresses.isExclusive, let main = hosts.first(where: { $0.domain.isSame(as: addresses.primary ?? "") }) {
            (return_url, domain, notification_url) = (main.return_url, main.domain, main.notification_url)
        } else {
            let base = publicURL + path
            (return_url, domain) = ("\(base)/auth/apple/callback", URL(string: publicURL)?.host() ?? publicURL)
            notification_url = "\(base)/auth/apple/notifications"
        }
        (email_sources, own_hosts) = (details.emailSources, hosts.isEmpty ? nil : hosts)
    }
}
