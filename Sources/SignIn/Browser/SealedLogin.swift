package import Access
package import Sealing
package import Sessions
import Tenancy

/// A login between Apple's callback and the approval of a device, first in a URL of the browser and then in the row of the device.
///
/// It is a code inside a second seal for one place. So no token endpoint accepts it, and it opens nowhere else.
package struct SealedLogin: Sendable {
    private static let purpose = "sealed_login"

    package let login: CompletedLogin
    /// The sealed code.
    private let code: String

    package static func seal(_ code: AuthorizationCode, for place: String, with keyring: Keyring) -> String {
        seal(code.sealed(with: keyring), for: place, with: keyring)
    }

    /// Nil unless it was sealed for this place and application.
    /// - Parameter page: the redirect URI of the login's attempt.
    package init?(
        opening sealed: String, for place: String, of application: ID<Application>, _ tenant: ID<Tenant>, at page: String,
        with keyring: Keyring
    ) {
        guard let bytes = try? keyring.openToken(sealed, purpose: "\(Self.purpose) \(place)"),
            let text = String(validating: bytes, as: UTF8.self),
            let opened = try? AuthorizationCode(
                opening: text, with: keyring, tenant: tenant, application: application, redirectURI: page, verifier: nil)
        else { return nil }
        (code, login) = (text, CompletedLogin(opened))
    }

    /// The same login for another place.
    package func sealed(for place: String, with keyring: Keyring) -> String {
        Self.seal(code, for: place, with: keyring)
    }

    private static func seal(_ code: String, for place: String, with keyring: Keyring) -> String {
        keyring.sealToken(Array(code.utf8), purpose: "\(purpose) \(place)")
    }
}
