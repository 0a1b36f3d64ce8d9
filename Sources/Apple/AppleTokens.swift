import Foundation

/// The response of Apple's token endpoint (Apple: "TokenResponse"). None of its values are verified.
package struct AppleTokens: Sendable, Equatable, Unprintable {
    package let accessToken: String
    package let idToken: String
    /// Nil if the response has none.
    package let refreshToken: String?
}

extension AppleTokens: Decodable {
    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case idToken = "id_token"
        case refreshToken = "refresh_token"
    }
}
