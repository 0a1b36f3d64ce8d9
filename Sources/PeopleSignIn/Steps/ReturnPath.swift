import Encoding
import People

/// The page to which a sign-in leads. It is always a page of this server below `/account`, so nobody can make a link that signs a person in
/// and then shows another site.
struct ReturnPath: Sendable, Equatable {
    static let account = ReturnPath(sealed: "/account")
    private static let longest = 200
    /// The value of `done` on the account page after a sign-in with a recovery code.
    static let recoveryCodeUsed = "recovery-code"

    /// A path, with a query if this server chose it.
    let path: String

    /// A path that a request names. Nil for everything that is not a page of the account.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longest, text.isSame(as: "/account") || text.begins(with: "/account/"),
            !text.begins(with: "/account/sign-in"), !text.begins(with: "/account/sign-out"),
            bytes.allSatisfy(\.isPartOfPath), !zip(bytes, bytes.dropFirst()).contains(where: { $0 == $1 && $0 == UInt8(ascii: "/") })
        else { return nil }
        path = text
    }

    /// Whether the sign-in leads back to an invitation.
    var isInvitation: Bool { path.begins(with: "/account/invitation?") }

    /// Whether the page is for one address, which is not that of the account in the browser.
    var isForOneAddress: Bool { isInvitation || path.begins(with: "/account/email/confirmation?") }

    /// A path that this server chose and sealed.
    init(sealed path: String) {
        self.path = path
    }

    /// The page of an invitation. The token is a secret, so only the sealed step contains this path.
    init(invitation token: String) {
        path = "/account/invitation?token=\(Form.encode(token))"
    }

    /// The page that confirms a new address. The ticket is a secret, too.
    init(newAddress ticket: String) {
        path = "/account/email/confirmation?ticket=\(Form.encode(ticket))"
    }
}

extension UInt8 {
    fileprivate var isPartOfPath: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
