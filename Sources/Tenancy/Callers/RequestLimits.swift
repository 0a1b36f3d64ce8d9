import Foundation
import HTTPTypes
import Web

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How often the REST API may be called: by an API key, and by an address that shows no valid one.
///
/// An API key has `perMinute` requests a minute in each process, and all keys of a tenant together ten times as many. Who guesses keys, or calls without one, has a tenth of that by
/// address; when that is used up, a key that this process has not served before is not looked up either, so that guessing never
/// becomes the database's work, and a key in use goes on being served beside a neighbour that guesses.
package struct RequestLimits: Sendable {
    /// How many keys' worth of requests a tenant has: it can make itself as many keys as it likes.
    private static let keysOfATenant = 10

    private let keys: TokenBuckets<ID<APIKey>>
    private let tenants: TokenBuckets<UUID>
    private let strangers: TokenBuckets<String>
    private let clock: @Sendable () -> ContinuousClock.Instant

    /// - Parameter perMinute: requests of one API key in a minute.
    package init(perMinute: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        keys = TokenBuckets(perMinute: perMinute)
        tenants = TokenBuckets(perMinute: perMinute * Self.keysOfATenant)
        strangers = TokenBuckets(perMinute: max(1, perMinute / 10))
        self.clock = clock
    }

    /// Whether requests from this address may still ask the database for a key.
    func mayLookUp(from address: String?) -> Bool {
        strangers.hasToken(Self.network(of: address), at: clock())
    }

    /// Counts a request, and notes for its answer what is left (draft-ietf-httpapi-ratelimit-headers-10: `q` requests in `w`
    /// seconds; `r` are left, and all of them again in `t` seconds).
    ///
    /// - Throws: `Problem`: 429 when nothing is left.
    func count(_ caller: Caller?, _ record: RequestRecord) throws {
        var level: TokenBucketLevel
        var (policy, quota) = caller == nil ? ("address", strangers.perMinute) : ("default", keys.perMinute)
        if let caller {
            level = keys.take(caller.key, at: clock())
            if level.isGranted, !caller.isOperator {
                let all = tenants.take(caller.owner, at: clock())
                if !all.isGranted { (level, policy, quota) = (all, "tenant", tenants.perMinute) }
            }
        } else {
            level = strangers.take(Self.network(of: record.current.address), at: clock())
        }
        record.note(header: .rateLimitPolicy, "\"\(policy)\";q=\(quota);w=60")
        record.note(header: .rateLimit, "\"\(policy)\";r=\(level.remaining);t=\(level.secondsUntilFull)")
        guard level.isGranted else {
            let detail =
                caller == nil
                ? "Too many requests without a valid API key came from this address. Wait as long as `Retry-After` says."
                : policy == "tenant"
                    ? "The tenant's API keys have together made more than \(quota) requests in a minute. Wait as long as `Retry-After` says."
                    : "This API key has made more than \(quota) requests in a minute. Wait as long as `Retry-After` says."
            var problem = Problem(.rateLimited, detail)
            problem.headers[.retryAfter] = "\(level.secondsUntilNext)"
            throw problem
        }
    }

    /// What one person can be taken to have: an IPv4 address, or an IPv6 /64.
    package static func network(of address: String?) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard let address, inet_pton(AF_INET6, address, &bytes) == 1 else { return address ?? "" }
        // An IPv4 address in IPv6's clothes (RFC 4291, section 2.5.5.2).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return bytes.suffix(4).map(String.init).joined(separator: ".")
        }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}
