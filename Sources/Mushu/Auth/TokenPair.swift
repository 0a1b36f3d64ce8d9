import Hummingbird
import Web

/// Both tokens of a session, which Mushu's clients send together. The access token may have expired.
struct TokenPair: Sendable {
    let accessToken, refreshToken: String

    /// The maximum length of a token, in characters. An access token has about 700 characters, and a refresh token 79.
    private static let longest = 4096

    /// - Throws: `Problem` that names each invalid member.
    init(_ request: Request, upTo limit: Int) async throws {
        var fields = try await JSONFields(request, upTo: limit)
        let access = fields.text("access_token", 1...Self.longest, isRequired: true)
        // The command-line client stores an empty text if it has no refresh token.
        let refresh = fields.text("refresh_token", 0...Self.longest, isRequired: true)
        try fields.finishKnown()
        (accessToken, refreshToken) = (access ?? "", refresh ?? "")
    }
}
