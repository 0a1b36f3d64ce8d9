import Foundation
import Postgres
import Tenancy
import Web

/// An app's way from one Apple team to another, with the users it takes along.
struct TeamTransfer: Identified, Sendable {
    static let idPrefix = "transfer"

    enum Status: String, Encodable {
        case open
        /// Apple's 60 days have passed.
        case over
        /// Somebody ended it.
        case closed
    }

    /// For how long after the transfer Apple says who is who, in seconds: 60 days.
    static let window: TimeInterval = 60 * 86_400

    let id: ID<TeamTransfer>
    let fromTeam, toTeam, servicesID: String
    /// Set when the first user moves: only then it is known that Apple has transferred the app.
    let closesAt: Date?
    let closedAt: Date?
    let createdAt, updatedAt: Date

    init(_ row: Row) throws {
        id = try row.get("id")
        fromTeam = try row.get("from_team_id")
        toTeam = try row.get("to_team_id")
        servicesID = try row.get("services_id")
        closesAt = try row.get("closes_at")
        closedAt = try row.get("closed_at")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    func status(at now: Date) -> Status {
        if closedAt != nil { return .closed }
        return closesAt.map { $0 <= now } == true ? .over : .open
    }

    static func find(_ id: ID<TeamTransfer>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, from_team_id, to_team_id, services_id, closes_at, closed_at, created_at, updated_at
        FROM team_transfer WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    /// Moves its version on.
    func touch(of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE team_transfer SET updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    /// The same, and the 60 days begin unless they have begun.
    func begin(of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE team_transfer SET closes_at = COALESCE(closes_at, \(now + Self.window)),
            updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }
}

/// A transfer as the REST API shows it.
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
        SELECT t.id, t.from_team_id, t.to_team_id, t.services_id, t.closes_at, t.closed_at, t.created_at, t.updated_at,
            n.pending, n.collected, n.moved, n.failed
        FROM team_transfer t CROSS JOIN LATERAL (
            SELECT count(*) FILTER (WHERE COALESCE(r.state, 'pending') = 'pending') AS pending,
                count(*) FILTER (WHERE r.state = 'collected') AS collected,
                count(*) FILTER (WHERE r.state = 'moved') AS moved, count(*) FILTER (WHERE r.state = 'failed') AS failed
            FROM identity i LEFT JOIN team_transfer_user r
                ON r.tenant_id = i.tenant_id AND r.transfer_id = t.id AND r.user_id = i.user_id
            WHERE i.tenant_id = t.tenant_id AND i.team_id = t.from_team_id) AS n
        WHERE t.tenant_id = \(tenant) AND t.id = \(id)
        """
    }

    static func page(_ page: PageRequest, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT t.id, t.from_team_id, t.to_team_id, t.services_id, t.closes_at, t.closed_at, t.created_at, t.updated_at,
            n.pending, n.collected, n.moved, n.failed
        FROM team_transfer t CROSS JOIN LATERAL (
            SELECT count(*) FILTER (WHERE COALESCE(r.state, 'pending') = 'pending') AS pending,
                count(*) FILTER (WHERE r.state = 'collected') AS collected,
                count(*) FILTER (WHERE r.state = 'moved') AS moved, count(*) FILTER (WHERE r.state = 'failed') AS failed
            FROM identity i LEFT JOIN team_transfer_user r
                ON r.tenant_id = i.tenant_id AND r.transfer_id = t.id AND r.user_id = i.user_id
            WHERE i.tenant_id = t.tenant_id AND i.team_id = t.from_team_id) AS n
        WHERE t.tenant_id = \(tenant) AND t.id < \(page.upper) AND t.id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN t.id END ASC, t.id DESC LIMIT \(page.fetched)
        """
    }
}

extension Login {
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
                "The 60 days that Apple allows have passed. Who has not moved by now becomes a new user, or is relinked by e-mail.")
        case .closed: throw Problem(.conflict, "This transfer is closed. Create another one.")
        }
    }

    func reply(_ id: ID<TeamTransfer>, of tenant: ID<Tenant>, in db: Transaction, at now: Date) async throws -> TransferReply {
        guard let reply = try await db.run(TransferReply.find(id, of: tenant)).first({ try TransferReply($0, at: now) })
        else { throw Problem.notFound("transfer") }
        return reply
    }
}
