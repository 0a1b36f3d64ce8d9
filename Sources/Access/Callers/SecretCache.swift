package import Foundation
import Synchronization
package import Web

/// Finds the holders of secrets by their digests, from memory if possible.
///
/// Guesses do not load the database: within a limit per address, only secrets that were valid here before are still looked up.
package final class SecretCache<Holder: Sendable>: Sendable {
    private let holders: ConfigurationCache<Digests, Holder>
    /// Digests of secrets that were valid at their last use in this process. They need no token for a look-up.
    private let seen = Mutex<Set<Digests>>([])
    private static var seenCapacity: Int { 20_000 }

    /// The digests of a secret, under all digest keys.
    private struct Digests: Hashable {
        let all: [[UInt8]]

        /// A part is enough, because nobody without the digest keys can choose it.
        func hash(into hasher: inout Hasher) {
            all[0].withUnsafeBytes { hasher.combine($0.loadUnaligned(as: UInt64.self)) }
        }
    }

    /// - Parameter load: Reads the holder of the secret with these digests, and the owner whose changes the cache must notice.
    package init(load: @escaping @Sendable (_ digests: [[UInt8]]) async throws -> (holder: Holder, owner: UUID)?) {
        holders = ConfigurationCache { digests in try await load(digests.all).map { .init($0.holder, owner: $0.owner) } }
    }

    /// The holder of the secret with these digests.
    /// - Parameters:
    ///   - limits: bounds the look-ups of secrets that were not valid here before. Nil means no limit.
    ///   - isValid: whether the secret is the holder's and valid now.
    /// - Throws: `TooManyRequests` instead of a look-up, and the database's errors.
    package func find(
        digests: [[UInt8]], within limits: RequestLimits?, _ record: RequestRecord, isValid: (Holder) -> Bool
    ) async throws -> Holder? {
        let digests = Digests(all: digests)
        let isSeen = seen.withLock { $0.contains(digests) }
        func find() async throws -> Holder? {
            guard let holder = try await holders[digests], isValid(holder) else { return nil }
            return holder
        }
        let found =
            if !isSeen, let limits {
                try await limits.lookUp(Data(digests.all[0]).base64EncodedString(), record, find)
            } else {
                try await find()
            }
        guard let found else {
            _ = seen.withLock { $0.remove(digests) }
            return nil
        }
        if !isSeen {
            seen.withLock { seen in
                if seen.count >= Self.seenCapacity { seen.removeAll() }
                seen.insert(digests)
            }
        }
        return found
    }

    package func forget(_ owner: UUID?) {
        holders.forget(owner)
    }

    package func forgetAll(isFresh: Bool) {
        holders.forgetAll(isFresh: isFresh)
    }
}
