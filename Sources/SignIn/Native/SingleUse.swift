import Access
import Apple
import ClientKeys
import Crypto
import Foundation
import Postgres

/// The single-use parts of a native sign-in: the id_token, and the nonce in both of its forms. They are stored as digests, in the
/// transaction that starts the session. So a failed sign-in may be tried again, and only one of two concurrent sign-ins gets tokens.
package struct SingleUse: Sendable {
    /// The digest of the id_token alone.
    let idToken: [UInt8]
    private let digests: [[UInt8]]
    /// The id_token has expired by then, too.
    private let expiresAt: Date

    /// Apple's id_tokens last a day. A digest is not stored for longer, even if a token claims more, because the token is too old by then.
    private static let longest: TimeInterval = 86400

    init(of sent: NativeSignIn, _ token: IDToken, at now: Date) {
        idToken = Self.digest(ofIDToken: sent.idToken)
        var digests: Set = [idToken]
        for nonce in [sent.nonce, token.nonce].compactMap(\.self) { digests.insert(Self.digest("nonce", nonce)) }
        // The sorted order prevents a deadlock between two sign-ins with the same parts.
        self.digests = digests.sorted { $0.lexicographicallyPrecedes($1) }
        expiresAt = min(token.expiresAt, now.addingTimeInterval(Self.longest)).addingTimeInterval(IDToken.leeway)
    }

    /// The digest of the signed part. The signature has several valid encodings, so it is left out.
    static func digest(ofIDToken text: String) -> [UInt8] {
        digest("id_token", Substring(text.utf8[..<(text.utf8.lastIndex(of: UInt8(ascii: ".")) ?? text.utf8.endIndex)]))
    }

    private static func digest(_ purpose: String, _ value: some StringProtocol) -> [UInt8] {
        Array(SHA256.hash(data: Data("\(purpose) \(value)".utf8)))
    }

    /// Uses up all parts. The schema refuses the row (`single_use_pkey`) if a part was used before.
    func insert(of tenant: ID<Tenant>) -> SQL {
        SingleUses.insert(digests, of: tenant, until: expiresAt)
    }

    /// Returns a row if a part was used before.
    func find(of tenant: ID<Tenant>) -> SQL {
        SingleUses.find(digests, of: tenant)
    }
}
