import Access
import Crypto
import Encoding
import Foundation
import Sealing
import Tenancy

/// The proof that a browser has seen which device asks, sealed into the pages' forms and links. A cookie of the same browser belongs to it.
///
/// An attacker can get a ticket for the attacker's own device, but not into another browser together with the cookie. So no other site can
/// approve or refuse.
struct DeviceTicket: Sendable {
    private static let purpose = "device_ticket"

    let authorization: ID<DeviceAuthorization>
    let userCode: UserCode
    private let tenant: ID<Tenant>
    /// SHA-256 of the cookie.
    private let browser: [UInt8]

    init(_ authorization: ID<DeviceAuthorization>, _ userCode: UserCode, of tenant: ID<Tenant>, browserSecret: String) {
        (self.authorization, self.userCode, self.tenant) = (authorization, userCode, tenant)
        browser = Self.hash(browserSecret)
    }

    func sealed(with keyring: Keyring) -> String {
        var fields = FieldWriter()
        fields.write(authorization.uuid)
        fields.write(tenant.uuid)
        fields.write(userCode.text)
        fields.write(browser)
        return keyring.sealToken(fields.bytes, purpose: Self.purpose)
    }

    /// Nil unless it was sealed for this tenant.
    init?(opening sealed: String, of tenant: ID<Tenant>, with keyring: Keyring) {
        guard let bytes = try? keyring.openToken(sealed, purpose: Self.purpose) else { return nil }
        var fields = FieldReader(bytes)
        guard let id = try? fields.uuid(), let owner = try? fields.uuid(), owner == tenant.uuid, let text = try? fields.string(),
            let userCode = UserCode(text), let browser = try? fields.bytes()
        else { return nil }
        (authorization, self.userCode, self.tenant, self.browser) = (ID(id), userCode, tenant, browser)
    }

    /// Whether this browser has seen the device.
    /// - Parameter secrets: the values that it sends under the cookie's name. One correct value is enough.
    func belongs(toBrowserWith secrets: [String]) -> Bool {
        secrets.contains { constantTimeEqual(Self.hash($0), browser) }
    }

    private static func hash(_ text: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(text.utf8)))
    }
}
