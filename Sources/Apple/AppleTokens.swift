import Encoding

/// The response of Apple's token endpoint (Apple: "TokenResponse"). None of its values are verified.
package struct AppleTokens: Sendable, Equatable, Unprintable {
    package let accessToken: String
    package let idToken: String
    /// Nil if the response has none.
    package let refreshToken: String?
}

extension AppleTokens {
    /// Nil for a response without tokens.
    init?(json: [UInt8]) {
        guard case .object(let answer)? = try? JSONValue(json: json), let accessToken = answer["access_token"]?.text,
            let idToken = answer["id_token"]?.text
        else { return nil }
        switch answer["refresh_token"] {
        case nil, .null: refreshToken = nil
        case .string(let token): refreshToken = token
        default: return nil
        }
        (self.accessToken, self.idToken) = (accessToken, idToken)
    }
}
