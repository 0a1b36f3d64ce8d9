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

    private let requester: IdentityRequester
    let identity: AddedIdentity
    private let confirmedAt: Date

    package init(_ identity: AddedIdentity, by ticket: IdentityTicket, at now: Date) {
        (requester, self.identity, confirmedAt) = (ticket.requester, identity, now)
    }

    package func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        requester.write(to: &fields)
        fields.write(confirmedAt)
        identity.write(to: &fields)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    /// Nil unless it was sealed for this person's session, at most 10 minutes ago.
    init?(opening sealed: String, for person: UserRoutes.Person, with keyring: Keyring, at now: Date) {
        do {
            var fields = FieldReader(try keyring.openToken(sealed, purpose: Self.purpose))
            requester = try IdentityRequester(&fields)
            confirmedAt = try fields.date()
            identity = try AddedIdentity(&fields)
        } catch { return nil }
        guard requester == IdentityRequester(person), now < confirmedAt.addingTimeInterval(Self.lifetime) else { return nil }
    }
}
