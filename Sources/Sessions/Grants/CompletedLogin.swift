package import APIs
package import Access
import BrowserSessions
package import Foundation
package import Postgres
package import Tenancy
package import Users

/// A login that Apple has verified, through the browser or natively, now or at the start of the browser's session. Its session, usage event and tokens are made from it.
package struct CompletedLogin: Sendable {
    package let login: ID<LoginID>
    package let user: ID<User>
    /// The identity that the user signed in with. The session records it.
    let vouched: Identity.Vouched?
    package let scope: String
    /// The APIs that the user's sign-in is for, in the order of the request.
    package let apis: [ID<API>]
    /// The application's nonce, for the id_token.
    var nonce: String?
    let connection: Connection.Ownership
    /// When Apple authenticated the user.
    let authenticatedAt: Date
    /// When Espalier admitted the sign-in with Apple. If the user's tokens were ended after this time, this login ends too.
    package let admittedAt: Date
    let device: Device
    /// Apple's `real_user_status`, from a native application's first login.
    var realUserStatus: Int?
    /// The session of the browser that the user signed in with, if it serves all applications.
    var browser: BrowserSession.Link?
    /// When its code was issued, if the login can have several codes.
    var codeIssuedAt: Date?

    package init(
        login: ID<LoginID>, user: ID<User>, vouched: Identity.Vouched?, scope: String, apis: [ID<API>] = [], nonce: String?,
        connection: Connection.Ownership, authenticatedAt: Date, admittedAt: Date, device: Device, realUserStatus: Int? = nil
    ) {
        (self.vouched, self.apis) = (vouched, apis)
        (self.login, self.user, self.scope, self.nonce, self.connection) = (login, user, scope, nonce, connection)
        (self.authenticatedAt, self.admittedAt, self.device) = (authenticatedAt, admittedAt, device)
        self.realUserStatus = realUserStatus
        self.browser = nil
    }

    /// Whether the user signed in without Apple, with the session of the browser.
    var isSilent: Bool { browser?.isSilent ?? false }

    /// The session has the login's ID, so that a login has at most one session.
    var session: ID<Session> { ID(login.uuid) }

    /// Whether everything of the tenant, or of the browser, ended since the login was admitted, as a condition. A logout of the browser
    /// also ends the codes that were not redeemed yet.
    package func hasEnded(of tenant: ID<Tenant>) -> SQL {
        let ended = Tenant.endedTokens(of: tenant, since: admittedAt)
        guard let browser else { return ended }
        return "(\(part: ended) OR \(part: BrowserSession.hasEnded(browser.session, of: tenant)))"
    }
}

extension CompletedLogin {
    package init(_ code: AuthorizationCode) {
        self.init(
            login: code.login, user: code.user, vouched: code.vouched, scope: code.scope, apis: code.apis, nonce: code.nonce,
            connection: code.connection, authenticatedAt: code.authenticatedAt, admittedAt: code.admittedAt,
            device: code.device)
        browser = code.browser
        codeIssuedAt = code.followsQuestion ? code.issuedAt : nil
    }

    /// The same login with the session on another device than the one that the user signed in with.
    package func on(_ device: Device) -> CompletedLogin {
        CompletedLogin(
            login: login, user: user, vouched: vouched, scope: scope, apis: apis, nonce: nonce, connection: connection,
            authenticatedAt: authenticatedAt, admittedAt: admittedAt, device: device, realUserStatus: realUserStatus)
    }
}

/// The start of a session, for a protocol that makes its own tokens.
package struct StartedSession: Sendable {
    package let id: ID<Session>
    package let user: ID<User>
    package let authenticatedAt: Date?
    package let startedAt: Date

    package init(_ login: CompletedLogin, at now: Date) {
        (id, user, authenticatedAt, startedAt) = (login.session, login.user, login.authenticatedAt, now)
    }

    private init(_ row: Row) throws {
        id = try row.get("id")
        user = try row.get("user_id")
        authenticatedAt = try row.get("authenticated_at")
        startedAt = try row.get("created_at")
    }

    /// The active session of a login that has not been refreshed yet, if a condition is true.
    /// - Parameter proof: selects a row if the caller is the one that started the session.
    package static func find(
        _ login: CompletedLogin, provenBy proof: SQL, _ application: Application, _ tenant: Tenant, in database: OwnerDatabase, at now: Date
    ) async throws -> StartedSession? {
        try await database.run(
            """
            SELECT s.id, s.user_id, s.authenticated_at, s.created_at
            \(part: Session.active(login.session, of: tenant.id, application, at: now))
                AND s.refresh_generation = 0 AND EXISTS (\(part: proof))
            """
        ).first(StartedSession.init)
    }
}
