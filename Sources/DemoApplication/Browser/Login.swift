/// A person who is signed in: what the application was given for the code.
struct Login: Sendable {
    var slug: String
    var tokens: TokenSet
    var idToken: IDToken
    var userInfo: UserInfo
    var refreshes = 0
    /// The refresh token before the present one, abridged.
    var usedRefreshToken: String?
}
