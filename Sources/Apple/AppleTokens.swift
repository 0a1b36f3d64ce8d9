import Foundation

/// The response of Apple's token endpoint (Apple: "TokenResponse"). None of its values are verified.
package struct AppleTokens: Sendable, Equatable, Unprintable {
    package let accessToken: String
    package let idToken: String
    /// Present in the response to a code, absent in the response to a refresh.
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
