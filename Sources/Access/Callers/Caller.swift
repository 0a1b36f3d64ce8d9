package import Foundation
import Postgres
package import Sealing
import Synchronization
package import Web

/// A caller of the REST API: the holder of a valid API key.
package struct Caller: Sendable {
    package let key: ID<APIKey>
    package let scopes: Set<APIKey.Scope>
    /// The tenant's ID, or the platform's ID.
    package let owner: UUID

    package init(_ key: APIKey) {
        self.init(key: key.id, scopes: key.scopes, owner: key.owner)
    }

    init(key: ID<APIKey>, scopes: Set<APIKey.Scope>, owner: UUID) {
        (self.key, self.scopes, self.owner) = (key, scopes, owner)
    }

    /// Whether the caller acts for the platform.
    package var isOperator: Bool { owner == .platform }

    /// An operator's key acts for every tenant. A tenant's key acts only for that tenant.
    package func mayAct(for tenant: ID<Tenant>) -> Bool {
        isOperator || owner == tenant.uuid
    }
}

/// Finds callers by their keys.
///
/// The issue, change or revocation of a key takes effect in every process within 1 s, because the notification of its row empties this
/// cache.
package final class Callers: Sendable {
    private let keyring: Keyring
    /// Digests of secrets that were valid at their last use in this process. They need no token for a look-up.
    private let keys: ConfigurationCache<Digests, APIKey>
    /// Digests of secrets that were valid at their last use in this process. Under the limit of look-ups, only these are still looked up.
    private let seen = Mutex<Set<Digests>>([])
    private static let seenCapacity = 20_000

    /// The digests of a secret, under all digest keys.
    private struct Digests: Hashable {
        let all: [[UInt8]]

        /// A part is enough, because nobody without the digest keys can choose it.
        func hash(into hasher: inout Hasher) {
            all[0].withUnsafeBytes { hasher.combine($0.loadUnaligned(as: UInt64.self)) }
        }
    }

    package init(database: PlatformDatabase, keyring: Keyring) {
        self.keyring = keyring
        keys = ConfigurationCache { digests in
            try await database.repeatable.run(APIKey.find(digests: digests.all))
                .first { try APIKey($0, with: keyring) }.map { .init($0, owner: $0.owner) }
        }
    }

    /// The holder of this secret, or nil. An unknown, mistyped, expired or revoked secret gives the same result.
    /// - Parameters:
    /// - limits: bounds the look-ups of secrets that were not valid here before. Nil means no limit.
    /// - Throws: `TooManyRequests` instead of a look-up, and the database's errors.
    package func find(
        secret: String, within limits: RequestLimits? = nil, _ record: RequestRecord = RequestRecord(), at now: Date
    ) async throws -> Caller? {
        guard APIKey.isWellFormed(secret) else { return nil }
        let digests = Digests(all: keyring.digests(Array(secret.utf8), purpose: APIKey.digestPurpose))
        let isSeen = seen.withLock { $0.contains(digests) }
        let find = { [self] () async throws -> APIKey? in
            guard let key = try await keys[digests], key.isValid(at: now), key.authenticates(digests.all, with: keyring, at: now)
            else { return nil }
            return key
        }
        let found =
            if !isSeen, let limits {
                try await limits.lookUp(Data(digests.all[0]).base64EncodedString(), record, find)
            } else {
                try await find()
            }
        guard let key = found else {
            _ = seen.withLock { $0.remove(digests) }
            return nil
        }
        if !isSeen {
            seen.withLock { seen in
                if seen.count >= Self.seenCapacity { seen.removeAll() }
                seen.insert(digests)
            }
        }
        return Caller(key)
    }

    package func forget(_ owner: UUID?) {
        keys.forget(owner)
    }

    package func forgetAll(isFresh: Bool) {
        keys.forgetAll(isFresh: isFresh)
    }
}
