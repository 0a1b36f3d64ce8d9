package import Access
import Encoding
package import Foundation
package import Sealing
package import Sessions
package import Tenancy
package import Users

/// The permission of a signed-in person to add an Apple Account, with the address of the application to return to. It is sealed into a URL
/// for the browser, and is not a row. It adds nothing alone: the person signs in at Apple and confirms on a page, and the application of
/// the same session stores the result.
package struct IdentityTicket: Sendable {
    package static let lifetime: TimeInterval = 600
    private static let purpose = "identity_ticket"

    package let requester: IdentityRequester
    package let redirectURI: String
    package let state: String?
    package let createdAt: Date

    init(of requester: IdentityRequester, redirectURI: String, state: String?, at now: Date) {
        (self.requester, self.redirectURI, self.state, createdAt) = (requester, redirectURI, state, now)
    }

    /// - Parameter attempt: the sign-in at Apple that it is for. Nil for the URL.
    package func sealed(for attempt: ID<LoginID>? = nil, with keyring: Keyring) -> String {
        var fields = FieldWriter()
        requester.write(to: &fields)
        fields.write(redirectURI)
        fields.write(state)
        fields.write(createdAt)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose(of: attempt))
    }

    /// Nil unless it was sealed for this attempt and tenant, at most 10 minutes ago.
    package init?(opening sealed: String, for attempt: ID<LoginID>? = nil, of expected: ID<Tenant>, with keyring: Keyring, at now: Date) {
        do {
            var fields = FieldReader(try keyring.openToken(sealed, purpose: Self.purpose(of: attempt)))
            requester = try IdentityRequester(&fields)
            (redirectURI, state) = (try fields.string(), try fields.optionalString())
            createdAt = try fields.date()
        } catch { return nil }
        guard requester.tenant == expected, now < createdAt.addingTimeInterval(Self.lifetime) else { return nil }
    }

    private static func purpose(of attempt: ID<LoginID>?) -> String { attempt.map { "\(purpose) \($0)" } ?? purpose }
}
