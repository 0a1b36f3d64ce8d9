import Access
import Crypto
import Encoding
import Foundation
import Postgres
import Sealing

/// A secret that signs deliveries to an endpoint: `whsec_` and 32 random bytes in base64 (Standard Webhooks).
///
/// It is stored sealed, not as a digest, because signing needs its plain text. During a roll several secrets are valid, and each signs.
struct WebhookSecret: Identified {
    static let idPrefix = "webhooksecret"

    /// The limit of valid secrets, because each adds a signature to every delivery.
    static let limit = 5

    let id: ID<WebhookSecret>
    private let bytes: Secret

    /// Generates a new secret.
    init(at now: Date) {
        id = ID(at: now)
        bytes = Secret(bytes: SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) })
    }

    /// Opens the sealed secret of a row.
    /// - Throws: `SealingError`.
    init(_ row: Row, owner: UUID, keyring: Keyring) throws {
        id = try row.get("id")
        bytes = Secret(
            bytes: try keyring.open(Sealed(bytes: try row.get("sealed_secret")), in: Self.context(owner: owner, id)))
    }

    /// The form that its holder receives.
    var text: Secret {
        Secret("whsec_" + Data(bytes.revealBytes()).base64EncodedString())
    }

    /// `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body` (Standard Webhooks, "Signature scheme").
    func signature(id event: String, timestamp: Int, body: [UInt8]) -> String {
        var message = Array("\(event).\(timestamp).".utf8)
        message += body
        let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: bytes.revealBytes()))
        return "v1," + Data(code).base64EncodedString()
    }

    /// `t=`, the time in milliseconds, `, v1=` and the hexadecimal HMAC-SHA256 over `time.body`. The key is the text of the secret, not
    /// its bytes. WorkOS's libraries accept exactly one signature.
    func workOSSignature(milliseconds: Int, body: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(milliseconds).".utf8) + body, using: SymmetricKey(data: Data(text.reveal().utf8)))
        return "t=\(milliseconds), v1=\(Array(code).hexadecimal)"
    }

    func insert(for webhook: ID<Webhook>, owner: UUID, keyring: Keyring, at now: Date) -> SQL {
        let sealed = keyring.seal(bytes.revealBytes(), in: Self.context(owner: owner, id)).bytes
        return """
            INSERT INTO webhook_secret (tenant_id, id, endpoint_id, sealed_secret, created_at)
            VALUES (\(owner), \(id), \(webhook), \(sealed), \(now))
            """
    }

    static func context(owner: UUID, _ id: ID<WebhookSecret>) -> SealingContext {
        SealingContext(tenant: owner, table: "webhook_secret", column: "sealed_secret", row: id.description)
    }
}
