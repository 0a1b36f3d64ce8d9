package import Access
import Apple
import Crypto
package import Foundation
import Postgres

/// What of a native sign-in serves once: the id_token, and the nonce in both of its forms. Kept as digests, and in the transaction
/// that begins the session: a sign-in that failed may be tried again, and of two at once one gets tokens.
package struct SingleUse: Sendable {
    /// Of the id_token alone.
    let idToken: [UInt8]
    private let digests: [[UInt8]]
    /// By then the id_token has expired, too.
    private let expiresAt: Date

    /// Apple's id_tokens last a day. Whatever else one says, it is not remembered for longer: it is too old by then.
    private static let longest: TimeInterval = 86400

    init(of sent: NativeSignIn, _ token: IDToken, at now: Date) {
        idToken = Self.digest(ofIDToken: sent.idToken)
        var digests: Set = [idToken]
        for nonce in [sent.nonce, token.nonce].compactMap(\.self) { digests.insert(Self.digest("nonce", nonce)) }
        // In one order, so that two sign-ins with the same do not wait for one another.
        self.digests = digests.sorted { $0.lexicographicallyPrecedes($1) }
        expiresAt = min(token.expiresAt, now.addingTimeInterval(Self.longest)).addingTimeInterval(IDToken.leeway)
    }

    /// The digest of the signed part. The signature can be written in several ways, and is as good in each.
    static func digest(ofIDToken text: String) -> [UInt8] {
        digest("id_token", Substring(text.utf8[..<(text.utf8.lastIndex(of: UInt8(ascii: ".")) ?? text.utf8.endIndex)]))
    }

    private static func digest(_ purpose: String, _ value: some StringProtocol) -> [UInt8] {
        Array(SHA256.hash(data: Data("\(purpose) \(value)".utf8)))
    }

    /// Uses it up. Refused by the schema (`single_use_pkey`) where a part of it has been used.
    func insert(of tenant: ID<Tenant>) -> SQL {
        """
        INSERT INTO single_use (tenant_id, digest, expires_at)
        SELECT \(tenant), digest, \(expiresAt) FROM unnest(\(digests)) AS digest
        """
    }

    /// A row where a part of it has been used.
    func find(of tenant: ID<Tenant>) -> SQL {
        "SELECT digest FROM single_use WHERE tenant_id = \(tenant) AND digest = ANY(\(digests)) LIMIT 1"
    }

    /// Removes what would be refused anyway.
    package static func forgetOld(in database: PlatformDatabase, at now: Date) async throws {
        try await database.remove { batch in
            """
            DELETE FROM single_use AS s USING (
                SELECT tenant_id, digest FROM single_use WHERE expires_at < \(now) ORDER BY expires_at LIMIT \(batch)) AS old
            WHERE s.tenant_id = old.tenant_id AND s.digest = old.digest
            """
        }
    }
}
