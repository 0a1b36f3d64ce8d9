import Access
import Delivery
import Foundation
import Logging
import Outbox
import Postgres
import Signing
import Tenancy
import Users
import Web

/// Tells an application that one of its sessions has ended (OpenID Connect Back-Channel Logout 1.0): the outbox's handler for what
/// the schema writes whenever a session ends, for whatever reason.
///
/// A suspended tenant's applications still hear: their users are signed out. Those of a deleted one do not, nor does an application
/// that is gone or no longer says where it listens.
struct DeliverLogoutToken: Sendable {
    static let outboxKind = "backchannel_logout"

    /// Before each further attempt, in seconds, give or take a tenth; together about seven hours, after which most access tokens
    /// are over anyway.
    static let schedule: [TimeInterval] = [5, 60, 300, 900, 3600, 7200, 14400]

    let pool: DatabasePool
    let signingKeys: SigningKeys
    let publicURL: String
    /// Whether it may go into private networks and do without TLS: for development.
    let allowsPrivate: Bool
    /// For the name, the connection and the answer together.
    var timeout = Duration.seconds(15)
    let logger: Logger

    /// - Throws: `DatabaseError`, `SealingError`, `CancellationError`: it is still owed.
    func handle(_ entry: Outbox.Entry, at now: Date) async throws -> Outbox.Outcome {
        let database = OwnerDatabase(pool, owner: entry.owner)
        guard let owed = try await database.run(Owed.find(entry.subject, owner: entry.owner)).first(Owed.init) else { return .done }
        guard let uri = owed.uri, let algorithm = owed.algorithm else { return try await forget(entry, .done, in: database) }

        // A token of its own for each attempt: the one before may be too old by now, or known by its `jti`.
        let token = try LogoutToken(
            issuer: "\(publicURL)/t/\(owed.slug)", user: owed.user, application: owed.application, session: owed.session, at: now
        ).signed(by: try await signingKeys.current(algorithm, of: ID(entry.owner)))
        let answer = try await OutgoingRequest(
            url: uri, headers: [("content-type", "application/x-www-form-urlencoded")],
            body: Array("logout_token=\(Form.encode(token))".utf8), allowsPrivate: allowsPrivate
        ).send(within: timeout)

        switch answer {
        // Section 2.8: 204 is what frameworks make of an empty 200.
        case .status(200), .status(204):
            return try await forget(entry, .done, in: database)
        case .status(400):
            // It has understood, and will not do it.
            log(answer, owed)
            return try await forget(entry, .givenUp, in: database)
        case .status, .failure:
            log(answer, owed)
            guard let wait = Self.wait(after: entry.attempts) else { return try await forget(entry, .givenUp, in: database) }
            return .again(at: now.addingTimeInterval(wait))
        }
    }

    /// How long to wait after so many attempts, in seconds, or nil: it was the last.
    static func wait(after attempts: Int) -> TimeInterval? {
        guard attempts <= schedule.count else { return nil }
        return schedule[attempts - 1] * Double.random(in: 0.9...1.1)
    }

    private func forget(_ entry: Outbox.Entry, _ outcome: Outbox.Outcome, in database: OwnerDatabase) async throws -> Outbox.Outcome {
        _ = try await database.run("DELETE FROM backchannel_logout WHERE tenant_id = \(entry.owner) AND id = \(entry.subject)")
        return outcome
    }

    private func log(_ answer: OutgoingRequest.Answer, _ owed: Owed) {
        let outcome =
            switch answer {
            case .status(let status): "\(status)"
            case .failure(let failure): failure.rawValue
            }
        logger.warning(
            "an application did not take a logout token",
            metadata: ["tenant": "\(owed.slug)", "application": "\(owed.application)", "outcome": "\(outcome)"])
    }
}

/// A logout token that an application is owed, and where it wants it.
private struct Owed {
    let slug: String
    let application: ID<Application>
    let user: ID<User>
    let session: ID<Session>
    /// Nil where there is nobody to tell any more.
    let uri: String?
    let algorithm: SigningKey.Algorithm?

    init(_ row: Row) throws {
        slug = try row.get("slug")
        application = try row.get("application_id")
        user = try row.get("user_id")
        session = try row.get("session_id")
        uri = try row.get("backchannel_logout_uri")
        algorithm = try row.get("signing_algorithm")
    }

    static func find(_ id: UUID, owner: UUID) -> SQL {
        """
        SELECT t.slug, b.application_id, b.user_id, b.session_id, a.backchannel_logout_uri, a.signing_algorithm
        FROM backchannel_logout b
            JOIN tenant t ON t.id = b.tenant_id
            LEFT JOIN application a ON a.tenant_id = b.tenant_id AND a.id = b.application_id AND t.status IN ('active', 'suspended')
        WHERE b.tenant_id = \(owner) AND b.id = \(id)
        """
    }
}
