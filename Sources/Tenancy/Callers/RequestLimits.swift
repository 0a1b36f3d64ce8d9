import Foundation
import HTTPTypes
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
    private let clock: @Sendable () -> ContinuousClock.Instant

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

    /// Whether requests from this address may still ask the database for a key or name that this process does not know.
    package func mayLookUp(from address: String?) -> Bool {
        addresses.hasToken(CallerNetwork.of(address), at: clock())
    }

    /// Refuses a look-up of a name that this process does not know, when the address has used up its limit.
    /// - Throws: `TooManyRequests`.
    package func requireLookUp(_ record: RequestRecord) throws(TooManyRequests) {
        let level = addresses.level(CallerNetwork.of(record.current.address), at: clock())
        guard level.isGranted else { throw refusal(level, record) }
    }

    /// Charges an unauthenticated request to its address, and notes for its answer what is left.
    /// - Throws: `TooManyRequests` when nothing is left.
    package func charge(_ record: RequestRecord) throws(TooManyRequests) {
        let level = addresses.take(CallerNetwork.of(record.current.address), at: clock())
        guard level.isGranted else { throw refusal(level, record) }
        Self.note(level, "address", quota: addresses.perMinute, record)
    }

    private func refusal(_ level: TokenBucketLevel, _ record: RequestRecord) -> TooManyRequests {
        Self.note(level, "address", quota: addresses.perMinute, record)
        let seconds = max(1, level.secondsUntilNext)
        record.note(header: .retryAfter, "\(seconds)")
        return TooManyRequests(retryAfter: seconds)
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
        Self.note(level, "changes", quota: changes.perMinute, record)
        var problem = Problem(
            .rateLimited,
            """
            The tenant's API keys together made more than \(changes.perMinute) changes in a minute. Each request other than GET and HEAD \
            is a change, and each 8 KiB of its body counts as one more. Retry after the seconds in `Retry-After`.
            """)
        problem.headers[.retryAfter] = "\(level.secondsUntilNext)"
        throw problem
    }

    /// Counts a request, and notes for its answer what is left (draft-ietf-httpapi-ratelimit-headers-10: `q` requests in `w`
    /// seconds; `r` are left, and all of them again in `t` seconds).
    ///
    /// - Throws: `Problem`: 429 when nothing is left.
    func count(_ caller: Caller?, _ record: RequestRecord) throws {
        guard let caller else {
            do { return try charge(record) } catch {
                throw Problem(
                    .rateLimited,
                    "Too many requests without a valid API key came from this address. Retry after the seconds in `Retry-After`.")
            }
        }
        var (level, policy, quota) = (keys.take(caller.key, at: clock()), "default", keys.perMinute)
        if level.isGranted, !caller.isOperator {
            let all = tenants.take(caller.owner, at: clock())
            if !all.isGranted { (level, policy, quota) = (all, "tenant", tenants.perMinute) }
        }
        Self.note(level, policy, quota: quota, record)
        guard level.isGranted else {
            let detail =
                policy == "tenant"
                ? "The tenant's API keys together made more than \(quota) requests in a minute. Retry after the seconds in `Retry-After`."
                : "This API key made more than \(quota) requests in a minute. Retry after the seconds in `Retry-After`."
            var problem = Problem(.rateLimited, detail)
            problem.headers[.retryAfter] = "\(level.secondsUntilNext)"
            throw problem
        }
    }
}

/// An address has used up what it has without proof of who calls. Each endpoint answers it in its own form, with 429.
package struct TooManyRequests: Error {
    /// In seconds.
    package let retryAfter: Int
}
