package import Access
package import Foundation
package import Hummingbird
package import Mail
package import Postgres
package import Sealing
import Web

/// Invites people by a link that works once.
///
///     createInvitation, createOperator, `espalier operators create`  → the link, mailed or shown once
///     the page of the link                                           → an account or a sign-in → the membership
///     deleteInvitation, the end of its time                          → the link is of no use
///
/// The holder of the link becomes the member, so it must reach only the invited person.
package struct InvitationRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    /// The URL of this server for browsers and Apple, without a slash at its end.
    let publicURL: String
    /// Nil if this server sends no mails.
    let mail: MailSender?
    /// The name of a tenant, for mails.
    let organization: @Sendable (ID<Tenant>) async throws -> String?
    let notices: OwnerNotices
    let now: @Sendable () -> Date

    package init(
        pool: DatabasePool, keyring: Keyring, publicURL: String, mail: MailSender?,
        organization: @escaping @Sendable (ID<Tenant>) async throws -> String?, notices: OwnerNotices,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.keyring, self.publicURL, self.mail) = (pool, keyring, publicURL, mail)
        (self.organization, self.notices, self.now) = (organization, notices, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "invitations", "listInvitations") { try await listInvitations($0, $1) }
        routes.on(.post, "invitations", "createInvitation", use: createInvitation)
        routes.on(.delete, "invitations/{invitation}", "deleteInvitation") { try await deleteInvitation($0, $1) }
        return routes
    }

    /// Below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.post, "platform/operators", "createOperator", use: createOperator)
        routes.on(.get, "platform/invitations", "listPlatformInvitations") { try await listInvitations($0, $1) }
        routes.on(.delete, "platform/invitations/{invitation}", "deletePlatformInvitation") { try await deleteInvitation($0, $1) }
        return routes
    }
}
