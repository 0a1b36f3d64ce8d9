package import Access
import Encoding
package import Foundation
import Hummingbird
package import Logging
import People
package import Postgres
package import Sealing
import Sessions
import Web

/// Issues the sessions of terminals. Its issuer is `{public URL}/account`, because a person belongs to no tenant.
///
///     with a browser at the same machine (RFC 8252)
///     program → GET  /account/oauth2/authorize              AuthorizeTerminal      checks the request; a cookie, no row
///     person  → GET  /account/oauth2/approval               ReviewTerminal         signs in, sees the request
///             → POST /account/oauth2/approval               ApproveTerminal        a code at the loopback address
///     program → POST /account/oauth2/token                  RedeemTerminalCode     a session, once
///
///     without one (RFC 8628)
///     program → POST /account/oauth2/device_authorization   AuthorizeTerminalDevice   device code and user code: one row
///     person  → GET  /account/device                        EnterTerminalCode      signs in, types the user code
///             → POST /account/device                        ShowTerminalDevice     sees which terminal asks, and from where
///             → POST /account/device/approval               ApproveTerminalDevice
///     program → POST /account/oauth2/token                  RedeemTerminalDevice   a session, once
///
/// The token is the secret of a `PersonSession`. No role is in it: each call reads the memberships of the person.
package struct TerminalGrant: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    /// The URL of this server for browsers, without a slash at its end.
    let publicURL: String
    let limits: RequestLimits
    let logger: Logger
    let now: @Sendable () -> Date
    /// The new requests of a network.
    let starts = TokenBuckets<String>(perMinute: 20)
    /// The polls of a network that reach the database.
    let pollsOfNetwork = TokenBuckets<String>(perMinute: 600)
    /// The polls of one terminal. Above this limit, an early poll costs no statement.
    let polls = TokenBuckets<UUID>(perMinute: 60, holding: 10)

    package init(
        pool: DatabasePool, keyring: Keyring, publicURL: String, limits: RequestLimits, logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.keyring, self.publicURL) = (pool, keyring, publicURL)
        (self.limits, self.logger, self.now) = (limits, logger, now)
    }

    var issuer: String { "\(publicURL)/account" }
    /// The platform's own rows: people and their sessions.
    var database: OwnerDatabase { OwnerDatabase(pool, owner: .platform) }

    /// The form that the program posts.
    /// - Throws: `OAuthError`.
    func form(_ request: Request, _ context: WebContext) async throws -> Form {
        guard request.mediaType?.isSame(as: "application/x-www-form-urlencoded") == true
        else { throw OAuthError(.invalidRequest, "Send the parameters as application/x-www-form-urlencoded.") }
        let form: Form
        do { form = try await Form(request.body, upTo: context.maxUploadSize) } catch is Form.Refusal {
            throw OAuthError(.invalidRequest, "A parameter is malformed or appears more than once.")
        }
        try TerminalClient.require(form)
        return form
    }

    /// Reports an outage of the database in OAuth's form.
    func reportingOutage<T>(_ context: WebContext, _ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as DatabaseError where error.isOutage {
            logger.error("database outage", metadata: ["request_id": "\(context.record.current.requestID)", "cause": "\(error)"])
            throw OAuthError(.temporarilyUnavailable, "The database is unavailable. Try again in a few seconds.")
        }
    }

    /// Ends the session of a credential that is used again, because two parties have it. Neither of them is the actor in the audit trail,
    /// because nobody knows which one is the person.
    /// - Returns: the error for the program.
    func replay(of approval: TerminalApproval, _ credential: String, _ context: WebContext, at now: Date) async throws -> OAuthError {
        let facts = context.record.current
        let origin = AuditEvent.Origin(actor: "system", address: facts.address, requestID: facts.requestID)
        try await database.transaction { db in
            guard try await db.run(PersonSession.end(approval.session, of: approval.person, .reused, at: now)).affected > 0 else { return }
            _ = try await db.run(
                AuditEvent.insert(
                    "terminal.code_reused", of: approval.person.description, owner: .platform, by: origin,
                    after: ["session": approval.session], at: now))
        }
        return OAuthError(.invalidGrant, "The \(credential) was used before. Its session has ended. Log in again.")
    }

    /// A new secret for a session.
    func makeSecret() -> Secret {
        var random = SystemRandomness()
        return PersonSession.makeSecret(using: &random)
    }
}
