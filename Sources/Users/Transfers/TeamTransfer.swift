package import Access
package import Foundation
package import Postgres
import Web

/// The transfer of an app and its users from one Apple team to another.
package struct TeamTransfer: Identified, Sendable {
    package static let idPrefix = "transfer"

    enum Status: String, Encodable {
        case open
        /// Apple's 60 days have passed.
        case over
        /// The transfer was closed, and its transfer identifiers are being deleted.
        case closing
        /// The transfer was closed, and all its transfer identifiers are deleted.
        case closed
    }

    /// How long Apple identifies the users after the transfer, in seconds: 60 days.
    static let window: TimeInterval = 60 * 86_400

    let id: ID<TeamTransfer>
    let fromTeam, toTeam, servicesID: String
    /// Set when the first user moves, because only that proves that Apple has transferred the app.
    let closesAt: Date?
    let closedAt: Date?
    /// When the last of its transfer identifiers was deleted.
    let forgottenAt: Date?
    let createdAt, updatedAt: Date

    init(_ row: Row) throws {
        id = try row.get("id")
        fromTeam = try row.get("from_team_id")
        toTeam = try row.get("to_team_id")
        servicesID = try row.get("services_id")
        closesAt = try row.get("closes_at")
        closedAt = try row.get("closed_at")
        forgottenAt = try row.get("forgotten_at")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    func status(at now: Date) -> Status {
        if closedAt != nil { return forgottenAt == nil ? .closing : .closed }
        return closesAt.map { $0 <= now } == true ? .over : .open
    }

    static func find(_ id: ID<TeamTransfer>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, from_team_id, to_team_id, services_id, closes_at, closed_at, forgotten_at, created_at, updated_at
        FROM team_transfer WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    /// Updates the transfer's version, and prevents the transfer from being closed until the end of the transaction. It changes no row if
    /// the transfer is already closed. It runs after the statements that lock users, as in a sign-in.
    func touch(of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE team_transfer SET updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(tenant) AND id = \(id) AND closed_at IS NULL
        """
    }

    /// Updates the transfer's version, and starts the 60 days unless they have started.
    func begin(of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE team_transfer SET closes_at = COALESCE(closes_at, \(now + Self.window)),
            updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }
}

/// A transfer in the REST API.
struct TransferReply: Encodable, Sendable {
    struct Users: Encodable, Sendable {
        let pending, collected, moved, failed: Int
    }

    let id: ID<TeamTransfer>
    let object = "transfer"
    let from_team_id, to_team_id, services_id: String
    let status: TeamTransfer.Status
    let users: Users
    let closes_at, closed_at: Date?
    let created_at, updated_at: Date

    init(_ row: Row, at now: Date) throws {
        let transfer = try TeamTransfer(row)
        (id, from_team_id, to_team_id) = (transfer.id, transfer.fromTeam, transfer.toTeam)
        (services_id, status) = (transfer.servicesID, transfer.status(at: now))
        users = Users(
            pending: try row.get("pending"), collected: try row.get("collected"), moved: try row.get("moved"),
            failed: try row.get("failed"))
        (closes_at, closed_at) = (transfer.closesAt, transfer.closedAt)
        (created_at, updated_at) = (transfer.createdAt, transfer.updatedAt)
    }

    static func find(_ id: ID<TeamTransfer>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT t.id, t.from_team_id, t.to_team_id, t.services_id, t.closes_at, t.closed_at, t.forgotten_at, t.created_at, t.updated_at,
            c.collected, c.moved, c.failed, known_users(t.tenant_id, t.from_team_id) - c.collected - c.moved - c.failed AS pending
        FROM team_transfer t CROSS JOIN LATERAL (
            SELECT COALESCE(sum(n.collected), 0)::bigint AS collected, COALESCE(sum(n.moved), 0)::bigint AS moved,
                COALESCE(sum(n.failed), 0)::bigint AS failed
            FROM team_transfer_count n WHERE n.tenant_id = t.tenant_id AND n.transfer_id = t.id) AS c
        WHERE t.tenant_id = \(tenant) AND t.id = \(id)
        """
    }

    /// A team's users are counted once, for any number of transfers from the team.
    static func page(_ page: PageRequest, of tenant: ID<Tenant>) -> SQL {
        """
        WITH shown AS MATERIALIZED (
            SELECT id, from_team_id, to_team_id, services_id, closes_at, closed_at, forgotten_at, created_at, updated_at
            FROM team_transfer WHERE tenant_id = \(tenant) AND id < \(page.upper) AND id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)),
        team AS MATERIALIZED (
            SELECT from_team_id, known_users(\(tenant), from_team_id) AS users FROM (SELECT DISTINCT from_team_id FROM shown) AS s)
        SELECT t.id, t.from_team_id, t.to_team_id, t.services_id, t.closes_at, t.closed_at, t.forgotten_at, t.created_at, t.updated_at,
            c.collected, c.moved, c.failed, team.users - c.collected - c.moved - c.failed AS pending
        FROM shown t JOIN team ON team.from_team_id = t.from_team_id CROSS JOIN LATERAL (
            SELECT COALESCE(sum(n.collected), 0)::bigint AS collected, COALESCE(sum(n.moved), 0)::bigint AS moved,
                COALESCE(sum(n.failed), 0)::bigint AS failed
            FROM team_transfer_count n WHERE n.tenant_id = \(tenant) AND n.transfer_id = t.id) AS c
        ORDER BY CASE WHEN \(page.isBackward) THEN t.id END ASC, t.id DESC
        """
    }
}

extension TransferRoutes {
    private static var closed: Problem { Problem(.conflict, "This transfer is closed. Create another one.") }

    /// Checks that `TeamTransfer.touch` or `.begin` found the transfer open. It may have been closed during the call to Apple.
    /// - Throws: `Problem` 409.
    func requireOpen(_ touched: Rows) throws {
        guard touched.affected > 0 else { throw Self.closed }
    }

    /// - Throws: `Problem` 404.
    func transfer(inPathOf call: TenantContext) throws -> ID<TeamTransfer> {
        try call.id("transfer", of: "transfer", as: TeamTransfer.self)
    }

    /// A transfer in which users can still move.
    /// - Throws: `Problem` 404, 409.
    func openTransfer(_ rows: Rows?, at now: Date) throws -> TeamTransfer {
        guard let transfer = try rows?.first(TeamTransfer.init) else { throw Problem.notFound("transfer") }
        switch transfer.status(at: now) {
        case .open: return transfer
        case .over:
            throw Problem(
                .conflict,
                "Apple's 60 days have passed. A user who has not moved becomes a new user, or is relinked by email address.")
        case .closing, .closed: throw Self.closed
        }
    }

    func reply(_ id: ID<TeamTransfer>, of tenant: ID<Tenant>, in db: Transaction, at now: Date) async throws -> TransferReply {
        guard let reply = try await db.run(TransferReply.find(id, of: tenant)).first({ try TransferReply($0, at: now) })
        else { throw Problem.notFound("transfer") }
        return reply
    }
}

extension TeamTransfer {
    /// Forgets an identity that `Identity.delete` has removed. Its transfer identifier must not bring it back, so another identity of the
    /// user moves. A user without one under the team is no longer a part of the team's transfers.
    ///
    /// The statement does not look for a state, because a concurrent collection may be storing the identifier. It waits for that.
    package static func forget(_ subject: String, team: String, of user: ID<User>, _ tenant: ID<Tenant>, at now: Date) -> [SQL] {
        [
            """
            DELETE FROM team_transfer_user r USING team_transfer t
            WHERE r.tenant_id = \(tenant) AND r.user_id = \(user)
                AND t.tenant_id = r.tenant_id AND t.id = r.transfer_id AND t.from_team_id = \(team)
                AND NOT EXISTS (SELECT FROM identity i
                    WHERE i.tenant_id = \(tenant) AND i.user_id = \(user) AND i.team_id = \(team))
            """,
            // An identifier that a server of the previous version has collected names no identity.
            """
            UPDATE team_transfer_user r SET state = 'pending', reason = NULL, transfer_sub = NULL, apple_sub = NULL, updated_at = \(now)
            FROM team_transfer t
            WHERE r.tenant_id = \(tenant) AND r.user_id = \(user) AND r.state <> 'moved'
                AND (r.apple_sub IS NULL OR r.apple_sub = \(subject))
                AND t.tenant_id = r.tenant_id AND t.id = r.transfer_id AND t.from_team_id = \(team)
            """,
        ]
    }

    /// Selects a tenant's transfers from a team after which a user has moved.
    package static func moved(from team: String, of owner: UUID) -> SQL {
        """
        SELECT tenant_id, to_team_id, services_id FROM team_transfer
        WHERE tenant_id = \(owner) AND from_team_id = \(team) AND closes_at IS NOT NULL
        """
    }
}
