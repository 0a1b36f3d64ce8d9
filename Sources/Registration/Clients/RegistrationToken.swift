import Access
import Encoding
import Sealing
import Sessions

/// The form of the two tokens of client registration: a prefix and 43 random base62 characters (256 bits).
enum RegistrationToken {
    static let characters = 43

    /// Whether a text has the form of such a token. Any other text is refused without a look-up.
    static func isWellFormed(_ text: String, prefix: String) -> Bool {
        text.begins(with: prefix) && text.utf8.count == prefix.utf8.count + characters
            && text.utf8.dropFirst(prefix.utf8.count).allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: false
                }
            }
    }
}

extension OAuthError {
    static let initialAccessTokenMissing = OAuthError(
        .invalidToken, "Send the initial access token in the Authorization header.", challenge: "Bearer", isBare: true)
    /// One error for all defects, because naming the defect would help an attacker.
    static let badInitialAccessToken = OAuthError(
        .invalidToken,
        "The initial access token is malformed, expired, revoked or used up. Ask the tenant's administrator for another one.",
        challenge: "Bearer")
    static let registrationAccessTokenMissing = OAuthError(
        .invalidToken, "Send the registration access token in the Authorization header.", challenge: "Bearer", isBare: true)
    /// The same for a client that does not exist (RFC 7592, section 2.1).
    static let badRegistrationAccessToken = OAuthError(
        .invalidToken, "The registration access token is invalid, or the client no longer exists.", challenge: "Bearer")
}
