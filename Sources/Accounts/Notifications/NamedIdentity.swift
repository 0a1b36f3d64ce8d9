import Access
import Foundation
import Postgres
import Users

extension Identity {
    /// Whom an event of Apple's is about: Apple's `sub` in the teams that its client belongs to.
    struct Named: Sendable {
        let teams: [String]
        let subject: String

        /// Where the person is known: under the shared connection, one event concerns all of them.
        var tenants: SQL {
            "SELECT DISTINCT tenant_id FROM identity WHERE team_id = ANY(\(teams)) AND apple_sub = \(subject) ORDER BY tenant_id"
        }

        /// The user with its identities, all of them held until the transaction ends, in the order in which others take them. Whoever
        /// signs in at this moment comes first and is seen, or waits and finds what the event has done.
        func hold(of tenant: ID<Tenant>, against moment: Date, in db: Transaction) async throws -> Held? {
            let rows = try await db.run(
                """
                SELECT i.user_id, i.last_login_at, i.team_id = ANY(\(teams)) AND i.apple_sub = \(subject) AS is_named,
                    COALESCE(i.vouched_at > \(moment), false) AS is_newer, COALESCE(i.revoked_at = \(moment), false) AS is_ended,
                    COALESCE(i.revoked_at > \(moment), false) AS is_ended_later, COALESCE(i.revoked_at = 'infinity', false) AS is_gone
                FROM identity i
                WHERE i.tenant_id = \(tenant) AND i.user_id = (
                    SELECT n.user_id FROM identity n
                    WHERE n.tenant_id = \(tenant) AND n.team_id = ANY(\(teams)) AND n.apple_sub = \(subject) LIMIT 1)
                ORDER BY i.team_id, i.apple_sub FOR UPDATE
                """)
            let identities = try rows.map { row in
                Held.One(
                    user: try row.get("user_id"), lastLoginAt: try row.get("last_login_at"), isNamed: try row.get("is_named"),
                    isNewer: try row.get("is_newer"), isEnded: try row.get("is_ended"), isEndedLater: try row.get("is_ended_later"),
                    isGone: try row.get("is_gone"))
            }
            guard let named = identities.first(where: \.isNamed) else { return nil }
            return Held(named: named, livesOn: identities.contains { !$0.isNamed && $0.isNewer })
        }
    }

    /// What is known here of the person, against the time of the event.
    struct Held: Sendable {
        struct One: Sendable {
            let user: ID<User>
            let lastLoginAt: Date
            let isNamed: Bool
            /// Apple has vouched for the user since.
            let isNewer: Bool
            /// The consent ended at this very time, or later; or for good, with the account.
            let isEnded, isEndedLater, isGone: Bool
        }

        let named: One
        /// Whether Apple has vouched for the user since under another team: then by another account of the same person's.
        let livesOn: Bool
        var user: ID<User> { named.user }
    }
}

/// What the audit trail keeps of Apple's word.
struct AppleWord: Encodable {
    let event_at: Date
    /// How many ended by it.
    var sessions: Int?
    var erase_after: Date?
}

extension AuditEvent.Origin {
    /// What people do at Apple.
    static let apple = AuditEvent.Origin(actor: "apple", address: nil, requestID: nil)
}
