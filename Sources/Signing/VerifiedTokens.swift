import Crypto
import Synchronization

/// Remembers the tokens that this process signed, and those whose signature was valid, because a verification costs as much as the rest of
/// the request.
///
/// A token contains the ID of its key, and an ID never gets another key. So a signature stays valid as long as the key is published, which
/// the caller checks each time, like the claims and the session. The memory belongs to one process and is bounded. Only tokens that
/// Espalier signed take room, so an unauthenticated caller cannot displace them.
final class VerifiedTokens: Sendable {
    private struct Recent {
        /// When it is full, it becomes `older`, and the tokens there are forgotten. So a token in use stays.
        var newer: Set<SHA256Digest> = []
        var older: Set<SHA256Digest> = []

        func contains(_ digest: SHA256Digest) -> Bool { newer.contains(digest) || older.contains(digest) }

        mutating func insert(_ digest: SHA256Digest, capacity: Int) {
            if newer.count >= capacity { (older, newer) = (newer, []) }
            newer.insert(digest)
        }
    }

    private let capacity: Int
    /// Apart, because most tokens that are signed never come back, and those in use must stay.
    private let state = Mutex((signed: Recent(), presented: Recent()))

    /// - Parameter capacity: how many tokens of each kind are remembered at least, of the last ones. Each takes about 50 bytes. Twice as
    ///   many may be.
    init(capacity: Int = 8192) {
        self.capacity = capacity
    }

    /// Whether the token is remembered or `isValid`. It is remembered then.
    func contains(_ token: String, orVerify isValid: () -> Bool) -> Bool {
        let digest = Self.digest(token)
        let isKnown = state.withLock { $0.presented.contains(digest) || $0.signed.contains(digest) }
        guard isKnown || isValid() else { return false }
        state.withLock { $0.presented.insert(digest, capacity: capacity) }
        return true
    }

    /// Remembers a token that this process signed.
    func insert(_ token: String) {
        let digest = Self.digest(token)
        state.withLock { $0.signed.insert(digest, capacity: capacity) }
    }

    private static func digest(_ token: String) -> SHA256Digest {
        var token = token
        return token.withUTF8 { bytes in
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
            return hash.finalize()
        }
    }

    var count: Int {
        state.withLock { state in
            [state.signed, state.presented].reduce(into: Set()) { $0.formUnion($1.newer.union($1.older)) }.count
        }
    }
}
