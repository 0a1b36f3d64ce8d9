import Foundation
import HTTPTypes
import Synchronization
package import Web

/// Limits the requests to this process per API key or person, and per address for callers without a valid key.
///
/// An API key has `perMinute` requests per minute in each process, and so has a person. All callers of a tenant together have ten times as
/// many. The unauthenticated callers of one address have a tenth of `perMinute`, for all endpoints together.
///
/// Below `/v1`, each request without a valid key is charged. Below `/t` and at `/auth`, only a failed request is charged, because browsers
/// and applications call there without a key: a company signs in from one address, and an application's server redeems all its codes from
/// one address. A successful request costs nothing. A request of an application that authenticated with its secret costs nothing either.
/// `FailedRequestLimit` applies this.
///
/// When the charges of an address use up its limit, this process does not look up keys, slugs and client IDs that it has not found before.
/// So guesses do not load the database. Known keys, tenants and applications still work from that address.
package struct RequestLimits: Sendable {
    /// A tenant's limit as a multiple of a key's limit. Without it, a tenant could increase its limit with more keys.
    private static let keysOfATenant = 10

    private let actors: TokenBuckets<UUID>
    private let tenants: TokenBuckets<UUID>
    private let addresses: TokenBuckets<String>
    /// Changes of a tenant by all of its callers. Each change can append to the audit trail, and the trail exists as long as the tenant.
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

    /// This number of bytes of a body counts as one more change, because the audit trail records the body.
    private static let bytesOfAChange = 8192
    /// The most bytes of a body that count. The audit trail records no larger one: of a logo, it records the size and the hash.
    private static let mostBytes = 65_536

    /// - Parameters:
    /// - perMinute: requests of one API key per minute.
    /// - changesPerMinute: changes of one tenant per minute.
    package init(perMinute: Int, changesPerMinute: Int = 300, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        actors = TokenBuckets(perMinute: perMinute)
        tenants = TokenBuckets(perMinute: perMinute * Self.keysOfATenant)
        addresses = TokenBuckets(perMinute: max(1, perMinute / 10))
        changes = TokenBuckets(perMinute: changesPerMinute)
        self.clock = clock
    }

    /// Looks up a name that this process does not know. The address pays one token before the look-up, so parallel requests cannot make
    /// more look-ups than the address has tokens. It gets the token back if the name exists.
    ///
    /// Parallel requests from one address for the same name pay once, because `ConfigurationCache` combines them into one statement.
    ///
    /// A failed look-up costs the token, even if no database connection was free. Otherwise guesses could fill the queue of the pool
    /// without a limit while the database is slow. An application pays little: its parallel requests for one name pay one token per
    /// look-up, and a look-up in an outage takes seconds.
    /// - Throws: `TooManyRequests` instead of a look-up when no token is left. Otherwise the errors of `find`.
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
                record.note(level, "address", quota: addresses.perMinute)
                return nil
            }
            addresses.giveBack(lookUp.address, at: clock())
            return found
        } catch {
            // The address has paid. A second look-up of the same request costs nothing more.
            record.noteCharged()
            throw error
        }
    }

    /// Charges an unauthenticated request to its address once, and records the remaining limit for the response.
    /// - Throws: `TooManyRequests` when nothing is left.
    package func charge(_ record: RequestRecord) throws(TooManyRequests) {
        guard !record.current.isCharged else { return }
        let level = addresses.take(CallerNetwork.of(record.current.address), at: clock())
        guard level.isGranted else { throw refusal(level, record) }
        record.noteCharged()
        record.note(level, "address", quota: addresses.perMinute)
    }

    private func refusal(_ level: TokenBucketLevel, _ record: RequestRecord) -> TooManyRequests {
        TooManyRequests(retryAfter: record.refuse(level, "address", quota: addresses.perMinute))
    }

    /// Counts a change. This limits the growth of a tenant's data per minute. Operators have no such limit.
    ///
    /// - Parameter bytes: the length of the body. Nil if it is not known yet.
    /// - Throws: `Problem`: 429 when nothing is left.
    func countChange(_ caller: Caller, bytes: Int?, _ record: RequestRecord) throws {
        guard !caller.isOperator else { return }
        let bytes = min(max(0, bytes ?? Self.mostBytes), Self.mostBytes)
        let level = changes.take(caller.owner, cost: 1 + bytes / Self.bytesOfAChange, at: clock())
        guard !level.isGranted else { return }
        _ = record.refuse(level, "changes", quota: changes.perMinute)
        throw Problem(
            .rateLimited,
            """
            The callers of the tenant together made more than \(changes.perMinute) changes in a minute. Each request other than GET and HEAD \
            is a change, and each 8 KiB of its body counts as one more. Retry after the seconds in `Retry-After`.
            """)
    }

    /// Counts a request, and records the remaining limit for the response.
    ///
    /// The headers follow draft-ietf-httpapi-ratelimit-headers-10: `q` requests per `w` seconds. `r` requests are left. All are available
    /// again in `t` seconds.
    ///
    /// - Throws: `Problem`: 429 when nothing is left.
    func count(_ caller: Caller?, _ record: RequestRecord) throws {
        guard let caller else {
            do { return try charge(record) } catch { throw Self.withoutKey }
        }
        let level = actors.take(caller.actor.uuid, at: clock())
        guard level.isGranted else {
            _ = record.refuse(level, "default", quota: actors.perMinute)
            throw Problem(
                .rateLimited,
                "This caller made more than \(actors.perMinute) requests in a minute. Retry after the seconds in `Retry-After`.")
        }
        record.note(level, "default", quota: actors.perMinute)
        if case .key = caller.actor { try countTenant(caller, record) }
    }

    /// Counts a request for the tenant of the caller. For a person, the tenant is known only after the person's own request was counted.
    /// - Throws: `Problem`: 429 when nothing is left.
    func countTenant(_ caller: Caller, _ record: RequestRecord) throws {
        guard !caller.isOperator else { return }
        let level = tenants.take(caller.owner, at: clock())
        guard !level.isGranted else { return }
        _ = record.refuse(level, "tenant", quota: tenants.perMinute)
        throw Problem(
            .rateLimited,
            "The callers of the tenant together made more than \(tenants.perMinute) requests in a minute. Retry after the seconds in "
                + "`Retry-After`.")
    }

    /// The refusal of a request without a valid API key.
    static let withoutKey = Problem(
        .rateLimited, "Too many requests without a valid API key came from this address. Retry after the seconds in `Retry-After`.")
}

/// An address has used up its limit of requests without proof of the caller. Each endpoint responds with 429 in its own form.
package struct TooManyRequests: Error {
    /// The waiting time in seconds.
    package let retryAfter: Int

    /// The time until the next request, as text: 1 second, 2 seconds.
    package var wait: String { retryAfter == 1 ? "1 second" : "\(retryAfter) seconds" }
}
