import Access
import HTTPTypes
import Sessions
import Synchronization
import Web

/// The tokens of client registration that were valid at their last use in this process, by their digests.
///
/// As a known API key, a known token works from an address whose failures have used up its limit. The token itself has a limit instead. Its
/// row is read each time, so a revocation takes effect at once.
final class KnownTokens: Sendable {
    /// The limit of each token in this process.
    static let perMinute = 120
    private static let capacity = 20_000

    private let digests = Mutex<Set<String>>([])
    private let requests = TokenBuckets<String>(perMinute: perMinute)

    /// Finds what a token proves.
    /// - Throws: `OAuthError` 429 if the token has used up its limit; `TooManyRequests` instead of a look-up of an unknown token; the errors
    ///   of `find`.
    func lookUp<Found>(
        _ digest: String, within limits: RequestLimits, _ record: RequestRecord, _ find: () async throws -> Found?
    ) async throws -> Found? {
        let isKnown = digests.withLock { $0.contains(digest) }
        let found: Found?
        if isKnown {
            let level = requests.take(digest, at: .now)
            // The token was valid a moment ago, so this refusal is not a failure of its address.
            if !level.isGranted { record.noteAuthenticated() }
            try level.requireGranted(
                "This token was in more than \(Self.perMinute) requests in a minute.", record)
            found = try await find()
        } else {
            found = try await limits.lookUp(digest, record, find)
        }
        guard let found else {
            _ = digests.withLock { $0.remove(digest) }
            return nil
        }
        if !isKnown {
            digests.withLock { digests in
                if digests.count >= Self.capacity { digests.removeAll() }
                digests.insert(digest)
            }
        }
        return found
    }
}

extension TokenBucketLevel {
    /// - Throws: `OAuthError` 429 unless the request is granted. The response has `Retry-After`.
    func requireGranted(_ detail: String, _ record: RequestRecord) throws(OAuthError) {
        guard !isGranted else { return }
        record.note(header: .retryAfter, "\(secondsUntilNext)")
        var error = OAuthError(.temporarilyUnavailable, "\(detail) Retry after the seconds in Retry-After.")
        error.isRateLimited = true
        throw error
    }
}
