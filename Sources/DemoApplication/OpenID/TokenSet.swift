/// The response of the token endpoint (RFC 6749, section 5.1; OpenID Connect Core, 3.1.3.3).
struct TokenSet: Decodable, Sendable {
    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
    }

    var accessToken: String
    var refreshToken: String?
    /// Always present in the response to a code. The response to a refresh may leave it out.
    var idToken: String?
}
