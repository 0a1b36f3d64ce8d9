package import Access
import ClientKeys
import Crypto
package import Foundation
package import Postgres

/// A request with an `Idempotency-Key` that redeemed a code. If its response was lost, the same request may redeem the code again and gets
/// the same session.
///
/// It is stored as a digest of the key and the code, in the transaction that starts the session. So only a caller that has both can prove
/// that it sent the first request. No token is stored.
package struct RepeatedRequest: Sendable {
    private let digest: [UInt8]
    private let expiresAt: Date

    /// Nil unless the key has 1 to 255 visible ASCII characters.
    /// - Parameter lifetime: how long the code is valid, in seconds.
    package init?(idempotencyKey key: String, code: String, lifetime: TimeInterval, at now: Date) {
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        digest = Array(SHA256.hash(data: Data("idempotency_key \(key) \(code)".utf8)))
        expiresAt = now.addingTimeInterval(lifetime)
    }

    /// Stores the request. A repetition changes nothing.
    package func insert(of tenant: ID<Tenant>) -> SQL {
        SingleUses.insertIfNew(digest, of: tenant, until: expiresAt)
    }

    /// Returns a row if this request was stored before.
    package func find(of tenant: ID<Tenant>) -> SQL {
        SingleUses.find([digest], of: tenant)
    }
}
