package import Access
package import Foundation
package import Hummingbird
package import Mail
package import Postgres
package import Sealing
import Web

/// Helps people with their accounts: finds them, ends their sessions, removes lost factors, and deletes accounts. For operators only,
/// because an account may have memberships of several tenants.
package struct PersonRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let mail: MailSender?
    /// The URL of this server for browsers, without a slash at its end.
    let publicURL: String
    let notices: OwnerNotices
    let now: @Sendable () -> Date

    package init(
        pool: DatabasePool, keyring: Keyring, mail: MailSender?, publicURL: String, notices: OwnerNotices,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.keyring, self.mail, self.publicURL) = (pool, keyring, mail, publicURL)
        (self.notices, self.now) = (notices, now)
    }

    /// Below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/people", "listPeople", use: listPeople)
        routes.on(.get, "platform/people/{person}", "getPerson", use: getPerson)
        routes.on(.post, "platform/people/{person}/sessions/end", "endPersonSessions", use: endPersonSessions)
        routes.on(.post, "platform/people/{person}/reset", "resetPersonFactors", use: resetPersonFactors)
        routes.on(.delete, "platform/people/{person}", "deletePerson", use: deletePerson)
        return routes
    }

    /// A caller without the scopes of a membership must not take it over or away.
    /// - Throws: `Problem` 403 that names the missing scopes.
    func requireGrant(_ person: ListedPerson, _ call: PlatformContext, in db: some StatementRunner) async throws {
        for (owner, membership) in person.memberships {
            try call.requireGrant(try await membership.role.scopes(of: owner, in: db))
        }
    }
}
