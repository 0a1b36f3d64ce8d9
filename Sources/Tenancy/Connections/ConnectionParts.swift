package import Access
package import Foundation
import Hummingbird
package import Postgres
import Web

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

    /// The team and the Services ID of a connection.
    package struct Client: Sendable {
        package let id: ID<Connection>
        package let team, servicesID: String

        package init(_ connection: Connection) {
            (id, team, servicesID) = (connection.id, connection.teamID, connection.servicesID)
        }

        package init(_ row: Row) throws {
            (id, team, servicesID) = (try row.get("id"), try row.get("team_id"), try row.get("services_id"))
        }
    }

    /// Selects the tenant's own connections, in use or not.
    package static func own(of tenant: ID<Tenant>) -> SQL {
        "SELECT id, team_id, services_id FROM connection WHERE tenant_id = \(tenant) ORDER BY id"
    }

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

// MARK: The one connection of a tenant

/// A tenant's own connection, for an interface that knows only one per tenant. It has no part of a key except the Key ID.
package struct OwnConnection: Sendable {
    package let id: ID<Connection>
    package let teamID, servicesID: String
    package let bundleIDs: [String]
    /// The ID of the key that signs. It is nil until Apple has accepted a key.
    package let keyID: String?
    /// Whether the tenant's users sign in through it.
    package let isServing: Bool
    package let createdAt, updatedAt: Date

    init(_ details: ConnectionDetails) {
        let connection = details.connection
        (id, teamID, servicesID, bundleIDs) = (connection.id, connection.teamID, connection.servicesID, connection.bundleIDs)
        keyID = details.keys.first { $0.state == .current }?.keyID
        (isServing, createdAt, updatedAt) = (details.isServing, details.createdAt, details.updatedAt)
    }
}

extension ConnectionRoutes {
    /// The connection that serves the tenant, or else the only one. It is nil if the tenant has none.
    /// - Throws: `Problem` 403 without the scope; 409 if there are several and none serves.
    package func ownConnection(_ call: TenantContext) async throws -> OwnConnection? {
        try call.require(.connectionsRead)
        return try await ownConnection(of: call)
    }

    /// - Throws: `Problem` as `createConnection`, and 409 if the tenant has a connection.
    package func createOwnConnection(_ new: NewConnection, _ call: TenantContext) async throws -> OwnConnection {
        try call.require(.connectionsWrite)
        guard try await ownConnection(of: call) == nil
        else { throw Problem(.alreadyExists, "The tenant already has a connection. Change it, or delete it first.") }
        return OwnConnection(try await create(new, for: ConnectionActor(call)))
    }

    /// - Parameter check: decides about the change with the connection before it.
    /// - Throws: `Problem` as `updateConnection`, without versions.
    package func updateOwnConnection(
        _ changes: ConnectionChanges, _ call: TenantContext, check: (OwnConnection) throws -> Void
    ) async throws -> OwnConnection {
        try call.require(.connectionsWrite)
        guard let own = try await ownConnection(of: call) else { throw Problem.notFound("connection") }
        try check(own)
        return OwnConnection(try await update(own.id, changes, for: ConnectionActor(call), matching: nil, at: now()))
    }

    /// - Throws: `Problem` as `deleteConnection`, without versions.
    package func deleteOwnConnection(_ call: TenantContext) async throws {
        try call.require(.connectionsWrite)
        guard let own = try await ownConnection(of: call) else { throw Problem.notFound("connection") }
        try await delete(own.id, for: ConnectionActor(call), matching: nil, at: now())
    }

    private func ownConnection(of call: TenantContext) async throws -> OwnConnection? {
        let (connections, keys) = try await call.database(pool).run(
            ConnectionDetails.find(nil, owner: call.owner), ConnectionDetails.keys(of: nil, owner: call.owner))
        let all = try ConnectionDetails.all(connections, keys: keys)
        if let serving = all.first(where: \.isServing) { return OwnConnection(serving) }
        guard all.count <= 1 else {
            throw Problem(.conflict, "The tenant has \(all.count) connections, and none is in use. Manage them below /v1.")
        }
        return all.first.map(OwnConnection.init)
    }
}
