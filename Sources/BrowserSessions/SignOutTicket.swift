package import Access
import Encoding
package import Foundation
package import Sealing

/// The proof that a page has asked the person of a browser whether to sign out, sealed into the form of this page.
///
/// It counts only together with the cookie of the same browser session. So no other site can sign a person out.
package struct SignOutTicket: Sendable {
    private static let purpose = "sign_out_ticket"
    /// After this time, the page asks again. In seconds.
    private static let lifetime: TimeInterval = 15 * 60

    package let session: ID<BrowserSession>
    private let tenant: ID<Tenant>
    private let askedAt: Date

    package init(_ session: ID<BrowserSession>, of tenant: ID<Tenant>, at now: Date) {
        (self.session, self.tenant, askedAt) = (session, tenant, now)
    }

    package func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(session.uuid)
        fields.write(tenant.uuid)
        fields.write(askedAt)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    /// Nil unless it was sealed for this tenant, and not long ago.
    package init?(opening sealed: String, of tenant: ID<Tenant>, with keyring: Keyring, at now: Date) {
        guard let bytes = try? keyring.openToken(sealed, purpose: Self.purpose) else { return nil }
        var fields = FieldReader(bytes)
        guard let session = try? fields.uuid(), let owner = try? fields.uuid(), owner == tenant.uuid, let askedAt = try? fields.date(),
            now < askedAt.addingTimeInterval(Self.lifetime)
        else { return nil }
        self.init(ID(session), of: tenant, at: askedAt)
    }
}
