import Access
import Encoding
import Sealing

/// The field `csrf` of each form: a MAC over a secret of the browser, the session or the step.
///
/// Only a page of this server can contain it, and only for this browser. So no other site can send a form, and no form of one session
/// counts in another.
package struct FormToken: Sendable {
    static let field = "csrf"
    private static let purpose = "account_form"

    let text: String

    /// - Parameter secret: identifies the session or the step of the browser. No page shows it.
    init(for secret: String, with keyring: Keyring) {
        let id = keyring.currentDigestKeyID
        text = (id.bytes + keyring.mac(Array(secret.utf8), purpose: Self.purpose, keyID: id)!).base64URL
    }

    /// Whether a form has the token of a secret.
    static func isRight(_ sent: String?, for secret: String, with keyring: Keyring) -> Bool {
        guard let sent, sent.utf8.count < 100, let bytes = [UInt8](base64URL: sent), bytes.count == 36, let id = KeyID(Array(bytes[..<4])),
            let expected = keyring.mac(Array(secret.utf8), purpose: purpose, keyID: id)
        else { return false }
        return constantTimeEqual(expected, Array(bytes[4...]))
    }
}
