/// A user and the tokens of a session.
struct SessionReply: Encodable, Sendable {
    struct Tokens: Encodable, Sendable {
        let access_token, refresh_token: String
    }

    let user: UserReply
    let tokens: Tokens
}
