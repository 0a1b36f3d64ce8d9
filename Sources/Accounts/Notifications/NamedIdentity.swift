import Access
import Foundation
import Postgres
import Users

extension Identity {
    /// The person of an Apple event: Apple's `sub`, in the teams of the event's client.
    struct Named: Sendable {
        let teams: [String]
        let subject: String

        /// The tenants that know the person. Under the shared connection, one event concerns all of them.
        var tenants: SQL {
            "SELECT DISTINCT tenant_id FROM identity WHERE team_id = ANY(\(teams)) AND apple_sub = \(subject) ORDER BY tenant_id"
        }

        /// Finds the user and locks all its identities until the transaction ends, in the usual order. A concurrent sign-in either comes
        /// first and is visible here, or waits and finds the effects of the event.
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

    /// The stored state of the person, compared with the time of the event.
    struct Held: Sendable {
        struct One: Sendable {
            let user: ID<User>
            let lastLoginAt: Date
            let isNamed: Bool
            /// Apple has vouched for the user since the event.
            let isNewer: Bool
            /// The consent ended at exactly this time, or later, or permanently with the account.
            let isEnded, isEndedLater, isGone: Bool
        }

        let named: One
        /// Whether Apple has vouched for the user under another team since the event. The person then has another Apple account.
        let livesOn: Bool
        var user: ID<User> { named.user }
    }
}

/// The content of the audit event for an Apple event.
struct AppleWord: Encodable {
    let event_at: Date
    /// The number of sessions that ended.
    var sessions: Int?
    var erase_after: Date?
}

extension AuditEvent.Origin {
    /// The actor of a person's actions at Apple.
    static let apple = AuditEvent.Origin(actor: "apple", address: nil, requestID: nil)
}
