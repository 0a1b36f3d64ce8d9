import Access
import Encoding
import Foundation
import Sealing

/// The rotating secret of a session. The text is `ert_` and, in base64url, the digest key's ID, the session, the generation, and a MAC over
/// tenant, session and generation.
///
/// The database stores the current generation and no part of the token, not even a hash. So each refresh is one update of the session's
/// row. A used token differs from a made-up one without a list of used tokens. If the response was lost, the same successor can be made
/// again.
struct RefreshToken: Sendable {
    /// How long a used token still returns its successor, in seconds. This covers lost responses and racing tabs.
    static let grace: TimeInterval = 30
    private static let prefix = "ert_"
    private static let purpose = "refresh_token"

    let session: ID<Session>
    let generation: Int

    init(_ session: ID<Session>, generation: Int) {
        (self.session, self.generation) = (session, generation)
    }

    /// Nil unless Espalier made this token for this tenant.
    init?(_ text: String, of tenant: ID<Tenant>, with keyring: Keyring) {
        guard text.utf8.starts(with: Self.prefix.utf8), text.utf8.count == 79,
            let bytes = [UInt8](base64URL: String(Substring(text.utf8.dropFirst(Self.prefix.utf8.count)))), bytes.count == 56
        else { return nil }
        var fields = FieldReader(Array(bytes[4..<24]))
        guard let session = try? fields.uuid() else { return nil }
        self.init(ID(session), generation: bytes[20..<24].reduce(0) { $0 << 8 | Int($1) })
        guard let keyID = KeyID(Array(bytes[..<4])),
            let expected = keyring.mac(message(tenant), purpose: Self.purpose, keyID: keyID),
            constantTimeEqual(expected, Array(bytes[24...]))
        else { return nil }
    }

    func text(of tenant: ID<Tenant>, with keyring: Keyring) -> String {
        let message = message(tenant)
        let keyID = keyring.currentDigestKeyID
        let mac = keyring.mac(message, purpose: Self.purpose, keyID: keyID)!
        return Self.prefix + (keyID.bytes + message.dropFirst(16) + mac).base64URL
    }

    private func message(_ tenant: ID<Tenant>) -> [UInt8] {
        var fields = FieldWriter()
        fields.write(tenant.uuid)
        fields.write(session.uuid)
        return fields.bytes + withUnsafeBytes(of: UInt32(generation).bigEndian, Array.init)
    }
}
