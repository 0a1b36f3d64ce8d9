import Foundation

/// The token of a person's login at the terminal.
struct LoginToken: Equatable, Sendable {
    let text: String

    /// Nil if the text does not look like such a token. It is sent in a header, so no other text may pass.
    init?(_ text: String) {
        guard text.wholeASCIIMatch(of: #/eps_[A-Za-z0-9]{43}/#) != nil else { return nil }
        self.text = text
    }
}

/// The secret that authenticates the caller.
enum Credential: Equatable, Sendable {
    case key(APIKey)
    case login(LoginToken)

    var text: String {
        switch self {
        case .key(let key): key.text
        case .login(let token): token.text
        }
    }
}
