package import Access
package import Foundation
package import Tenancy
package import Users

/// A login that Apple has vouched for, however it came here: what its session, its bill and its tokens are made of.
package struct CompletedLogin: Sendable {
    let login: ID<LoginID>
    let user: ID<User>
    let scope: String
    /// The application's own, for the id_token.
    var nonce: String?
    let connection: Connection.Ownership
    /// When Apple authenticated the user.
    let authenticatedAt: Date
    /// When we let the user in. What ended the user's tokens since then ends this login too.
    let admittedAt: Date
    let device: Device
    /// Of a native application's first login: Apple's `real_user_status`.
    var realUserStatus: Int?

    package init(
        login: ID<LoginID>, user: ID<User>, scope: String, nonce: String?, connection: Connection.Ownership, authenticatedAt: Date,
        admittedAt: Date, device: Device, realUserStatus: Int? = nil
    ) {
        (self.login, self.user, self.scope, self.nonce, self.connection) = (login, user, scope, nonce, connection)
        (self.authenticatedAt, self.admittedAt, self.device) = (authenticatedAt, admittedAt, device)
        self.realUserStatus = realUserStatus
    }

    /// Its session has the login's id, so that a login has one session at the most.
    var session: ID<Session> { ID(login.uuid) }
}

extension CompletedLogin {
    init(_ code: AuthorizationCode) {
        self.init(
            login: code.login, user: code.user, scope: code.scope, nonce: code.nonce, connection: code.connection,
            authenticatedAt: code.authenticatedAt, admittedAt: code.issuedAt, device: code.device)
    }
}
