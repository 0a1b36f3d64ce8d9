/// A completed sign-in: the tokens and data that the application received for the code.
struct Login: Sendable {
    var slug: String
    var tokens: TokenSet
    var idToken: IDToken
    var userInfo: UserInfo
    var refreshes = 0
    /// The previous refresh token, abridged.
    var usedRefreshToken: String?
}
