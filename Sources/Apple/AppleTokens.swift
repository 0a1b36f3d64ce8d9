import Foundation

/// What Apple's token endpoint gives (Apple: "TokenResponse"). Nothing in it has been verified.
package struct AppleTokens: Sendable, Equatable, Unprintable {
    package let accessToken: String
    package let idToken: String
    /// Present after a code, absent after a refresh.
    package let refreshToken: String?
    /// The access token's lifetime in seconds.
    package let expiresIn: Int?
}

extension AppleTokens: Decodable {
    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case idToken = "id_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
    }
}
