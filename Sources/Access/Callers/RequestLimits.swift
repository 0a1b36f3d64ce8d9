import Foundation
import HTTPTypes
import Synchronization
package import Web

/// How often this process may be called: by an API key, and by an address without proof of who calls.
///
/// An API key has `perMinute` requests a minute in each process, and all keys of a tenant together ten times as many. An
/// unauthenticated caller has a tenth of `perMinute` by address, for all endpoints together.
///
/// Below `/v1`, each request without a valid key is charged. Below `/t` and at `/auth`, only a failed request is charged, because
/// browsers and applications call there without a key: a company signs in from one address, and an application's server redeems
/// all its codes from one address. A request that succeeds costs nothing, and so does a request of an application that
/// authenticated with its secret. `FailedRequestLimit` in Login applies this.
///
/// When the charges of an address use up its limit, this process no longer asks the database for keys, slugs and client IDs that it
/// has not found before. So guesses do not load the database. Known keys, tenants and applications still work beside a guesser.
package struct RequestLimits: Sendable {
    /// How many keys' worth of requests a tenant has: it can make itself as many keys as it likes.
    private static let keysOfATenant = 10

    private let keys: TokenBuckets<ID<APIKey>>
    private let tenants: TokenBuckets<UUID>
    private let addresses: TokenBuckets<String>
    /// Changes of a tenant, by all of its keys. Each may append to the audit trail, which is kept as long as the tenant.
    private let changes: TokenBuckets<UUID>
    private let lookUps = LookUps()
    private let clock: @Sendable () -> ContinuousClock.Instant

    private struct LookUp: Hashable {
        let address, name: String
    }

    /// The look-ups in progress that an address has paid for.
    private final class LookUps: Sendable {
        let running = Mutex<Set<LookUp>>([])
    }

    /// So many bytes of a body count as one more change: the audit trail has what was sent.
    private static let bytesOfAChange = 8192
    /// The largest body of any action.
    private static let largestBody = 65_536

    /// - Parameters:
    ///   - perMinute: requests of one API key in a minute.
    ///   - changesPerMinute: changes of one tenant in a minute.
    package init(perMinute: Int, changesPerMinute: Int = 300, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        keys = TokenBuckets(perMinute: perMinute)
        tenants = TokenBuckets(perMinute: perMinute * Self.keysOfATenant)
        addresses = TokenBuckets(perMinute: max(1, perMinute / 10))
        changes = TokenBuckets(perMinute: changesPerMinute)
        self.clock = clock
    }

    /// Looks up a name that this process does not know. The address pays one token before the look-up, so parallel requests cannot
    /// make more look-ups than the address has tokens. It gets the token back if the name exists.
    ///
    /// Parallel requests from one address for the same name pay once, because `ConfigurationCache` makes one statement of them.
    ///
    /// A look-up that fails costs the token, even if no connection was free. Otherwise guesses could fill the queue of the pool without
    /// a limit while the database is slow. An application pays little: its parallel requests for one name pay one token per look-up,
    /// and a look-up in an outage takes seconds.
    /// - Throws: `TooManyRequests` instead of a look-up when nothing is left; otherwise what `find` throws.
    package func lookUp<Found>(_ name: String, _ record: RequestRecord, _ find: () async throws -> Found?) async throws -> Found? {
        guard !record.current.isCharged else { return try await find() }
        let lookUp = LookUp(address: CallerNetwork.of(record.current.address), name: name)
        let level: TokenBucketLevel? = lookUps.running.withLock { running in
            guard !running.contains(lookUp) else { return nil }
            let level = addresses.take(lookUp.address, at: clock())
            if level.isGranted { running.insert(lookUp) }
            return level
        }
        guard let level else { return try await find() }
        guard level.isGranted else { throw refusal(level, record) }
        defer { _ = lookUps.running.withLock { $0.remove(lookUp) } }
        do {
            guard let found = try await find() else {
                record.noteCharged()
                Self.note(level, "address", quota: addresses.perMinute, record)
                return nil
            }
            addresses.giveBack(lookUp.address, at: clock())
            return found
        } catch {
            // Paid. A second look-up of the same request costs nothing more.
            record.noteCharged()
            throw error
        }
    }

    /// Charges an unauthenticated request to its address once, and notes for its answer what is left.
    /// - Throws: `TooManyRequests` when nothing is left.
    package func charge(_ record: RequestRecord) throws(TooManyRequests) {
        guard !record.current.isCharged else { return }
        let level = addresses.take(CallerNetwork.of(record.current.address), at: clock())
        guard level.isGranted else { throw refusal(level, record) }
        record.noteCharged()
        Self.note(level, "address", quota: addresses.perMinute, record)
    }

    private func refusal(_ level: TokenBucketLevel, _ record: RequestRecord) -> TooManyRequests {
        TooManyRequests(retryAfter: Self.refuse(level, "address", quota: addresses.perMinute, record))
    }

    /// Notes for the answer that nothing is left, and when to retry.
    /// - Returns: the value of `Retry-After`, in seconds.
    private static func refuse(_ level: TokenBucketLevel, _ policy: String, quota: Int, _ record: RequestRecord) -> Int {
        note(level, policy, quota: quota, record)
        let seconds = max(1, level.secondsUntilNext)
        record.note(header: .retryAfter, "\(seconds)")
        return seconds
    }

    private static func note(_ level: TokenBucketLevel, _ policy: String, quota: Int, _ record: RequestRecord) {
        record.note(header: .rateLimitPolicy, "\"\(policy)\";q=\(quota);w=60")
        record.note(header: .rateLimit, "\"\(policy)\";r=\(level.remaining);t=\(level.secondsUntilFull)")
    }

    /// Counts a change. A tenant's data can then grow by so much in a minute and no more. Operators have no such limit.
    ///
    /// - Parameter bytes: the length of the body; nil when it is not known yet.
    /// - Throws: `Problem`: 429 when nothing is left.
    func countChange(_ caller: Caller, bytes: Int?, _ record: RequestRecord) throws {
        guard !caller.isOperator else { return }
        let bytes = min(max(0, bytes ?? Self.largestBody), Self.largestBody)
        let level = changes.take(caller.owner, cost: 1 + bytes / Self.bytesOfAChange, at: clock())
        guard !level.isGranted else { return }
        _ = Self.refuse(level, "changes", quota: changes.perMinute, record)
        throw Problem(
            .rateLimited,
            """
            The tenant's API keys together made more than \(changes.perMinute) changes in a minute. Each request other than GET and HEAD \
            is a change, and each 8 KiB of its body counts as one more. Retry after the seconds in `Retry-After`.
            """)
    }

    /// Counts a request, and notes for its answer what is left (draft-ietf-httpapi-ratelimit-headers-10: `q` requests in `w`
    /// seconds; `r` are left, and all of them again in `t` seconds).
    ///
    /// - Throws: `Problem`: 429 when nothing is left.
    func count(_ caller: Caller?, _ record: RequestRecord) throws {
        guard let caller else {
            do { return try charge(record) } catch { throw Self.withoutKey }
        }
        var (level, policy, quota) = (keys.take(caller.key, at: clock()), "default", keys.perMinute)
        if level.isGranted, !caller.isOperator {
            let all = tenants.take(caller.owner, at: clock())
            if !all.isGranted { (level, policy, quota) = (all, "tenant", tenants.perMinute) }
        }
        guard !level.isGranted else { return Self.note(level, policy, quota: quota, record) }
        _ = Self.refuse(level, policy, quota: quota, record)
        throw Problem(
            .rateLimited,
            policy == "tenant"
                ? "The tenant's API keys together made more than \(quota) requests in a minute. Retry after the seconds in `Retry-After`."
                : "This API key made more than \(quota) requests in a minute. Retry after the seconds in `Retry-After`.")
    }

    /// The refusal of a request without a valid API key.
    static let withoutKey = Problem(
        .rateLimited, "Too many requests without a valid API key came from this address. Retry after the seconds in `Retry-After`.")
}

/// An address has used up what it has without proof of who calls. Each endpoint answers it in its own form, with 429.
package struct TooManyRequests: Error {
    /// In seconds.
    package let retryAfter: Int

    /// The time until the next request, as text: 1 second, 2 seconds.
    package var wait: String { retryAfter == 1 ? "1 second" : "\(retryAfter) seconds" }
}
