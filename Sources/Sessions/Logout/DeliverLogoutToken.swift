import Access
import Delivery
import Encoding
import Foundation
import Logging
import Outbox
import Postgres
import Signing
import Tenancy
import Users
import Web

/// Notifies an application that one of its sessions has ended (OpenID Connect Back-Channel Logout 1.0). It handles the outbox entry that
/// the schema writes whenever a session ends.
///
/// The applications of a suspended tenant still receive logout tokens, because their users are signed out. The applications of a deleted
/// tenant do not, nor does an application that was deleted or removed its logout URI.
struct DeliverLogoutToken: Sendable {
    static let outboxKind = "backchannel_logout"

    /// The wait before each retry, in seconds, plus or minus a tenth. The total is about seven hours. Most access tokens have expired by
    /// then.
    static let schedule: [TimeInterval] = [5, 60, 300, 900, 3600, 7200, 14400]

    let databases: OwnerDatabases
    let signingKeys: SigningKeys
    let directory: TenantDirectory
    let publicURL: String
    /// Whether requests may go to private networks and without TLS, for development.
    let allowsPrivate: Bool
    /// The limit for name resolution, connecting and the response together.
    var timeout = Duration.seconds(15)
    let logger: Logger

    /// - Throws: `DatabaseError`, `SealingError`, `CancellationError`. The outbox then tries again.
    func handle(_ entry: Outbox.Entry, at now: Date) async throws -> Outbox.Outcome {
        let database = databases[entry.owner]
        guard let owed = try await database.run(Owed.find(entry.subject, owner: entry.owner)).first(Owed.init) else { return .done }
        guard let uri = owed.uri, let algorithm = owed.algorithm else { return try await forget(entry, .done, in: database) }

        // Each attempt gets a new token. The previous one may be too old by now, or its `jti` may be known.
        let token = try LogoutToken(
            issuer: try await issuer(owed, entry.owner), user: owed.user, application: owed.application, session: owed.session, at: now
        ).signed(by: try await signingKeys.current(algorithm, of: ID(entry.owner)))
        let answer = try await OutgoingRequest(
            url: uri, headers: [("content-type", "application/x-www-form-urlencoded")],
            body: Array("logout_token=\(Form.encode(token))".utf8), allowsPrivate: allowsPrivate
        ).send(within: timeout)

        switch answer {
        // Section 2.8: a framework may turn an empty 200 into 204.
        case .status(200), .status(204):
            return try await forget(entry, .done, in: database)
        case .status(400):
            // The application understood the token and rejects it.
            log(answer, owed)
            return try await forget(entry, .givenUp, in: database)
        case .status, .failure:
            log(answer, owed)
            guard let wait = Self.wait(after: entry.attempts) else { return try await forget(entry, .givenUp, in: database) }
            return .again(at: now.addingTimeInterval(wait))
        }
    }

    /// The issuer that the application knows: that of the address at which it got its last tokens. If this address is gone, the application
    /// must know another one of the tenant.
    private func issuer(_ owed: Owed, _ owner: UUID) async throws -> String {
        let addresses = try await directory.find(ID<Tenant>(owner))?.tenant.addresses ?? TenantAddresses()
        return TenantAddresses.issuer(of: owed.slug, at: addresses.host(after: owed.host), publicURL: publicURL)
    }

    /// How long to wait after this many attempts, in seconds. It is nil after the last attempt.
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
            "an application did not accept a logout token",
            metadata: ["tenant": "\(owed.slug)", "application": "\(owed.application)", "outcome": "\(outcome)"])
    }
}

/// A logout token that is due to an application, and the address for it.
private struct Owed {
    let slug: String
    let application: ID<Application>
    let user: ID<User>
    let session: ID<Session>
    /// The tenant's own host at which the application got its last tokens.
    let host: String?
    /// Nil if no application is left to notify.
    let uri: String?
    let algorithm: SigningKey.Algorithm?

    init(_ row: Row) throws {
        slug = try row.get("slug")
        application = try row.get("application_id")
        user = try row.get("user_id")
        session = try row.get("session_id")
        host = try row.get("host")
        uri = try row.get("backchannel_logout_uri")
        algorithm = try row.get("signing_algorithm")
    }

    static func find(_ id: UUID, owner: UUID) -> SQL {
        """
        SELECT t.slug, b.application_id, b.user_id, b.session_id, b.host, a.backchannel_logout_uri, a.signing_algorithm
        FROM backchannel_logout b
            JOIN (\(part: Tenant.names)) AS t ON t.id = b.tenant_id
            LEFT JOIN (\(part: Application.logoutTargets)) AS a ON a.tenant_id = b.tenant_id AND a.id = b.application_id AND t.status IN ('active', 'suspended')
        WHERE b.tenant_id = \(owner) AND b.id = \(id)
        """
    }
}
