package import Access
import Encoding
import HTTPTypes
package import Hummingbird
package import Sealing
package import Users

/// The cookie of a browser session. Its value is, in base64url, the digest key's ID, the session, its user, the generation, and a MAC over
/// all of them, the tenant, and the host of the tenant that set it, with the time since which it has had its proof.
///
/// So the cookie of a tenant's own host means nothing at another address, and no longer anything as soon as a look finds no proof. The owner
/// of a host may change, and browsers send its cookies to the new one.
///
/// The database stores the current generation and no part of the cookie. So a forged cookie costs no statement, an old one is recognized
/// without a list of used ones, and the successor can be made again if a response was lost. A changed row gives no cookie another user.
package struct BrowserCookie: Sendable {
    private static let purpose = "browser_session"
    /// How many bytes a value has, decoded: the key's ID, two IDs, the generation and the MAC.
    private static let size = 4 + 16 + 16 + 4 + 32
    private static let length = (size * 4 + 2) / 3
    /// How many values of one name are read. A browser sends one. Without `__Host-`, a sibling domain can add others.
    private static let mostValues = 4

    package let session: ID<BrowserSession>
    package let user: ID<User>
    package let generation: Int

    init(_ session: ID<BrowserSession>, of user: ID<User>, generation: Int) {
        (self.session, self.user, self.generation) = (session, user, generation)
    }

    /// The cookie of a tenant in a request. Nil unless Espalier made it for this tenant, and at a failing host.
    package init?(in request: Request, of tenant: Tenant, publicURL: String, with keyring: Keyring) {
        guard tenant.addresses.allowsBrowserSessions else { return nil }
        let name = Self.name(tenant, publicURL)
        let values = request.headers[values: .cookie].lazy.flatMap { $0.parts(at: ";") }.compactMap { pair -> Substring? in
            let parts = pair.withoutBlanks.parts(at: "=", atMost: 2, includingEmpty: true)
            return parts.count == 2 && parts[0].isSame(as: name) && parts[1].utf8.count == Self.length ? parts[1] : nil
        }
        guard let cookie = values.prefix(Self.mostValues).lazy.compactMap({ Self($0, of: tenant, with: keyring) }).first
        else { return nil }
        self = cookie
    }

    private init?(_ text: Substring, of tenant: Tenant, with keyring: Keyring) {
        guard let bytes = [UInt8](base64URL: String(text)), bytes.count == Self.size else { return nil }
        var fields = FieldReader(Array(bytes[4..<36]))
        guard let session = try? fields.uuid(), let user = try? fields.uuid() else { return nil }
        self.init(ID(session), of: ID(user), generation: bytes[36..<40].reduce(0) { $0 << 8 | Int($1) })
        guard let keyID = KeyID(Array(bytes[..<4])),
            let expected = keyring.mac(message(tenant), purpose: Self.purpose, keyID: keyID),
            constantTimeEqual(expected, Array(bytes[40...]))
        else { return nil }
    }

    /// The value for `Set-Cookie`. A failing host gets one that is never accepted.
    /// - Parameter seconds: how long the browser stores it.
    package func set(for tenant: Tenant, seconds: Int, publicURL: String, with keyring: Keyring) -> String {
        let keyID = keyring.currentDigestKeyID
        let mac = keyring.mac(message(tenant), purpose: Self.purpose, keyID: keyID)!
        let value = (keyID.bytes + fields + mac).base64URL
        return "\(Self.name(tenant, publicURL))=\(value); Max-Age=\(max(0, seconds)); \(Self.attributes(publicURL))"
    }

    package static func removal(for tenant: Tenant, publicURL: String) -> String {
        "\(name(tenant, publicURL))=; Max-Age=0; \(attributes(publicURL))"
    }

    /// The fields that the cookie contains.
    private var fields: [UInt8] {
        var fields = FieldWriter()
        fields.write(session.uuid)
        fields.write(user.uuid)
        return fields.bytes + withUnsafeBytes(of: UInt32(clamping: generation).bigEndian, Array.init)
    }

    /// The public URL is not part of it. All parts before the host have a fixed length. Only a host without a proof has no time. Its message
    /// equals no other one, because a time starts with a zero byte.
    private func message(_ tenant: Tenant) -> [UInt8] {
        var owner = FieldWriter()
        owner.write(tenant.id.uuid)
        guard let host = tenant.addresses.current else { return owner.bytes + fields }
        var since = FieldWriter()
        if let proved = tenant.addresses.provedSince { since.write(proved) }
        return owner.bytes + fields + since.bytes + Array(host.utf8)
    }

    /// All tenants share a host, so the name contains the tenant. It does not have the form of an attempt's cookie.
    private static func name(_ tenant: Tenant, _ publicURL: String) -> String {
        "\(publicURL.begins(with: "https:") ? "__Host-" : "")espalier-sso-\(tenant.slug)"
    }

    /// Browsers attach it to navigations of the whole window, and to no request of another site (`SameSite=Lax`). So a frame or a form of
    /// another site has no browser session. Settings allow plain http on loopback only.
    private static func attributes(_ publicURL: String) -> String {
        "Path=/; HttpOnly;\(publicURL.begins(with: "https:") ? " Secure;" : "") SameSite=Lax"
    }
}
