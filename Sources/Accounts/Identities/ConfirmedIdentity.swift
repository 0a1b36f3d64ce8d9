import Access
import Encoding
package import Foundation
package import Sealing
import Sessions
import Tenancy
package import Users

/// An Apple Account that a person has proven and confirmed on the page. It is sealed into the redirect to the application, and is not a
/// row. Only the session that requested the page can store it (`completeOwnIdentity`), so the address of the page and this value add
/// nothing alone.
package struct ConfirmedIdentity: Sendable {
    package static let lifetime: TimeInterval = 600
    private static let purpose = "confirmed_identity"

    let tenant: ID<Tenant>
    let user: ID<User>
    let session: ID<Session>
    let application: ID<Tenancy.Application>
    let identity: AddedIdentity
    private let confirmedAt: Date

    package init(_ identity: AddedIdentity, by ticket: IdentityTicket, at now: Date) {
        (tenant, user, session, application) = (ticket.tenant, ticket.user, ticket.session, ticket.application)
        (self.identity, confirmedAt) = (identity, now)
    }

    package func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(tenant.uuid)
        fields.write(user.uuid)
        fields.write(session.uuid)
        fields.write(application.uuid)
        fields.write(confirmedAt)
        identity.write(to: &fields)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    /// Nil unless it was sealed for this person's session, at most 10 minutes ago.
    init?(opening sealed: String, for person: UserRoutes.Person, with keyring: Keyring, at now: Date) {
        do {
            var fields = FieldReader(try keyring.openToken(sealed, purpose: Self.purpose))
            (tenant, user) = (ID(try fields.uuid()), ID(try fields.uuid()))
            (session, application) = (ID(try fields.uuid()), ID(try fields.uuid()))
            confirmedAt = try fields.date()
            identity = try AddedIdentity(&fields)
        } catch { return nil }
        guard tenant == person.tenant.tenant.id, user == person.user, session == person.session, application == person.application.id,
            now < confirmedAt.addingTimeInterval(Self.lifetime)
        else { return nil }
    }
}
