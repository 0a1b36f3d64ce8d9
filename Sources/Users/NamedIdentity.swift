package import Access
package import Foundation
package import Postgres

extension Identity {
    /// The person of an Apple event: Apple's `sub`, in the teams of the event's client.
    package struct Named: Sendable {
        let teams: [String]
        let subject: String

        package init(teams: [String], subject: String) {
            (self.teams, self.subject) = (teams, subject)
        }

        /// The tenants that know the person from Apple. Under the shared connection, one event concerns all of them.
        package var tenants: SQL {
            """
            SELECT DISTINCT tenant_id FROM identity WHERE team_id = ANY(\(teams)) AND apple_sub = \(subject) AND NOT is_asserted
            ORDER BY tenant_id
            """
        }

        /// Finds the user, and locks it with all its identities until the transaction ends, in the usual order. A concurrent sign-in either
        /// comes first and is visible here, or waits and finds the effects of the event.
        /// - Parameter logins: selects the last sign-in of each team of a user that only a session records, with its time and the time
        ///   at which Apple vouched for the user (`team_id`, `last_login_at`, `vouched_at`).
        package func hold(
            of tenant: ID<Tenant>, against moment: Date, logins: (ID<User>) -> SQL, in db: Transaction
        ) async throws -> Held? {
            let found = try await db.run(
                """
                SELECT i.user_id FROM identity i
                WHERE i.tenant_id = \(tenant) AND i.user_id = (
                    SELECT n.user_id FROM identity n
                    WHERE n.tenant_id = \(tenant) AND n.team_id = ANY(\(teams)) AND n.apple_sub = \(subject) AND NOT n.is_asserted
                    LIMIT 1)
                ORDER BY i.team_id, i.apple_sub FOR UPDATE
                """)
            guard let user = try found.first({ try $0.get("user_id", as: ID<User>.self) }) else { return nil }
            // The user is locked before the sessions are read, so that no session of the user starts in between.
            let (_, rows) = try await db.run(
                "SELECT FROM tenant_user WHERE tenant_id = \(tenant) AND id = \(user) FOR UPDATE",
                """
                SELECT i.user_id, GREATEST(i.last_login_at, l.last_login_at) AS last_login_at,
                    i.team_id = ANY(\(teams)) AND i.apple_sub = \(subject) AS is_named,
                    COALESCE(GREATEST(i.vouched_at, l.vouched_at) > \(moment), false) AS is_newer,
                    COALESCE(i.revoked_at = \(moment), false) AS is_ended,
                    COALESCE(i.revoked_at > \(moment), false) AS is_ended_later,
                    COALESCE(i.revoked_at = 'infinity', false) AS is_account_deleted,
                    i.team_id = ANY(\(teams)) AS is_of_team, i.is_asserted
                FROM identity i LEFT JOIN (\(part: logins(user))) AS l ON l.team_id = i.team_id AND \(part: Identity.isOnlyOne("i"))
                WHERE i.tenant_id = \(tenant) AND i.user_id = \(user)
                ORDER BY i.team_id, i.apple_sub
                """)
            let identities = try rows.map { row in
                Held.One(
                    user: try row.get("user_id"), lastLoginAt: try row.get("last_login_at"), isNamed: try row.get("is_named"),
                    isNewer: try row.get("is_newer"), isEnded: try row.get("is_ended"), isEndedLater: try row.get("is_ended_later"),
                    isAccountDeleted: try row.get("is_account_deleted"), isOfTeam: try row.get("is_of_team"),
                    isAsserted: try row.get("is_asserted"))
            }
            guard let named = identities.first(where: \.isNamed) else { return nil }
            return Held(
                named: named,
                hasOtherAccount: identities.contains {
                    !$0.isNamed && !$0.isAsserted && ($0.isNewer || $0.isOfTeam && !$0.isAccountDeleted)
                })
        }
    }

    /// The stored state of the person, compared with the time of the event.
    package struct Held: Sendable {
        package struct One: Sendable {
            package let user: ID<User>
            package let lastLoginAt: Date
            package let isNamed: Bool
            /// Apple has vouched for the user since the event.
            package let isNewer: Bool
            /// The consent ended at exactly this time, or later, or permanently with the account.
            package let isEnded, isEndedLater, isAccountDeleted: Bool
            /// Whether it is under a team of the event. An Apple Account has one identifier per team.
            fileprivate let isOfTeam: Bool
            /// Whether only the tenant says that it is the user's.
            fileprivate let isAsserted: Bool
        }

        package let named: One
        /// Whether the user has another Apple Account: an identity under the same team, or Apple has vouched for the user under another
        /// team since the event.
        package let hasOtherAccount: Bool
        package var user: ID<User> { named.user }
    }
}
