import Access
import Encoding
import Foundation
import Sealing
import Tenancy

/// The secret with which a device asks for its tokens. The text is `edc_` and, in base64url, the digest key's ID, the authorization, and a MAC
/// over the interface, tenant, application and authorization.
///
/// The database stores no part of it. A made-up code, or that of another application or interface, is rejected without a statement.
struct DeviceCode: Sendable {
    /// The interface that the device uses. A code of one interface does not work in another one.
    enum Interface: String, Sendable {
        case oauth
        case authKit = "authkit"
    }

    private static let prefix = "edc_"
    private static let purpose = "device_code"
    /// The permitted difference between the clocks of two servers, in seconds.
    private static let leeway: TimeInterval = 60
    private static let length = prefix.utf8.count + [UInt8].base64URLCount(of: 52)

    let authorization: ID<DeviceAuthorization>

    init(_ authorization: ID<DeviceAuthorization>) {
        self.authorization = authorization
    }

    /// Nil unless Espalier made this code for this application and interface.
    init?(_ text: String, _ interface: Interface, of application: ID<Application>, _ tenant: ID<Tenant>, with keyring: Keyring) {
        guard text.utf8.count == Self.length, text.begins(with: Self.prefix),
            let bytes = [UInt8](base64URL: String(Substring(text.utf8.dropFirst(Self.prefix.utf8.count)))), bytes.count == 52,
            let keyID = KeyID(Array(bytes[..<4]))
        else { return nil }
        var fields = FieldReader(Array(bytes[4..<20]))
        guard let id = try? fields.uuid() else { return nil }
        authorization = ID(id)
        guard let expected = keyring.mac(message(interface, application, tenant), purpose: Self.purpose, keyID: keyID),
            constantTimeEqual(expected, Array(bytes[20...]))
        else { return nil }
    }

    /// Whether the code has expired by the time in its ID. The row decides when exactly, so another server's clock may differ.
    func isExpired(at now: Date) -> Bool {
        let bytes = authorization.uuid.uuid
        let milliseconds = [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let createdAt = Date(timeIntervalSince1970: TimeInterval(milliseconds) / 1000)
        return now > createdAt.addingTimeInterval(DeviceAuthorization.lifetime + Self.leeway)
    }

    func text(_ interface: Interface, of application: ID<Application>, _ tenant: ID<Tenant>, with keyring: Keyring) -> String {
        let keyID = keyring.currentDigestKeyID
        let mac = keyring.mac(message(interface, application, tenant), purpose: Self.purpose, keyID: keyID)!
        var fields = FieldWriter()
        fields.write(authorization.uuid)
        return Self.prefix + (keyID.bytes + fields.bytes + mac).base64URL
    }

    private func message(_ interface: Interface, _ application: ID<Application>, _ tenant: ID<Tenant>) -> [UInt8] {
        var fields = FieldWriter()
        fields.write(interface.rawValue)
        fields.write(tenant.uuid)
        fields.write(application.uuid)
        fields.write(authorization.uuid)
        return fields.bytes
    }
}
