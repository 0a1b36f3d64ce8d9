import Crypto
import Synchronization

/// Remembers tokens whose signature was valid, because a token is presented many times and a verification costs as much as the rest of the
/// request.
///
/// A token contains the ID of its key, and an ID never gets another key. So a signature stays valid as long as the key is published, which
/// the caller checks each time, like the claims and the session. The memory belongs to one process and is bounded. Only tokens that
/// Espalier signed take room, so an unauthenticated caller cannot displace them.
final class VerifiedTokens: Sendable {
    private struct State {
        /// When it is full, it becomes `older`, and the tokens there are forgotten. So a token in use stays.
        var newer: Set<SHA256Digest> = []
        var older: Set<SHA256Digest> = []
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: how many tokens are remembered at least, of the last ones. Each takes about 50 bytes. Twice as many may be.
    init(capacity: Int = 8192) {
        self.capacity = capacity
    }

    /// Whether the token is remembered or `isValid`. It is remembered then.
    func contains(_ token: String, orVerify isValid: () -> Bool) -> Bool {
        var token = token
        let digest = token.withUTF8 { bytes in
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
            return hash.finalize()
        }
        let isKnown = state.withLock { $0.newer.contains(digest) || $0.older.contains(digest) }
        guard isKnown || isValid() else { return false }
        state.withLock { state in
            if state.newer.count >= capacity { (state.older, state.newer) = (state.newer, []) }
            state.newer.insert(digest)
        }
        return true
    }

    var count: Int { state.withLock { $0.newer.union($0.older).count } }
}
