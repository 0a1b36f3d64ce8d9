import Synchronization

/// A request limit per minute for each of many callers. Each caller has a bucket, which holds one minute's requests or another
/// amount and fills evenly.
///
/// The buckets are in the memory of one process, and their number is limited. With several processes, a caller has several
/// buckets. A full bucket is removed, which changes nothing. If there are more callers than the capacity, all buckets are
/// removed.
package final class TokenBuckets<Key: Hashable & Sendable>: Sendable {
    package let perMinute: Int
    private let held, capacity: Int
    private let buckets = Mutex<[Key: Bucket]>([:])

    /// - Parameters:
    ///   - perMinute: The tokens that a bucket gains per minute.
    ///   - held: The capacity of a bucket. Default: the tokens of one minute.
    ///   - capacity: The maximum number of buckets.
    package init(perMinute: Int, holding held: Int? = nil, capacity: Int = 50_000) {
        (self.perMinute, self.held, self.capacity) = (max(1, perMinute), max(1, held ?? perMinute), max(1, capacity))
    }

    /// Takes tokens if the bucket has enough.
    /// - Parameter cost: The number of tokens. A number over the capacity of a bucket counts as the capacity.
    package func take(_ key: Key, cost: Int = 1, at now: ContinuousClock.Instant) -> TokenBucketLevel {
        buckets.withLock { buckets in
            var bucket = filled(buckets[key], at: now)
            let cost = Double(min(cost, held))
            let isGranted = bucket.tokens >= cost
            if isGranted { bucket.tokens -= cost }
            if buckets[key] == nil, buckets.count >= capacity { makeRoom(in: &buckets, at: now) }
            buckets[key] = bucket
            return level(bucket, isGranted: isGranted, next: isGranted ? 1 : cost)
        }
    }

    /// Returns a token to the bucket. A bucket never holds more than its capacity.
    package func giveBack(_ key: Key, at now: ContinuousClock.Instant) {
        buckets.withLock { buckets in
            // A bucket that was removed is full.
            guard buckets[key] != nil else { return }
            var bucket = filled(buckets[key], at: now)
            bucket.tokens = min(Double(held), bucket.tokens + 1)
            buckets[key] = bucket
        }
    }

    /// The current number of buckets.
    var count: Int { buckets.withLock { $0.count } }

    private var perSecond: Double { Double(perMinute) / 60 }

    private func filled(_ bucket: Bucket?, at now: ContinuousClock.Instant) -> Bucket {
        guard let bucket else { return Bucket(tokens: Double(held), at: now) }
        // Requests may be counted in another order than they read the clock. No caller loses tokens by this.
        let passed = max(.zero, bucket.at.duration(to: now))
        let seconds = Double(passed.components.seconds) + Double(passed.components.attoseconds) * 1e-18
        return Bucket(tokens: min(Double(held), bucket.tokens + seconds * perSecond), at: max(bucket.at, now))
    }

    private func level(_ bucket: Bucket, isGranted: Bool, next: Double = 1) -> TokenBucketLevel {
        TokenBucketLevel(
            isGranted: isGranted, remaining: Int(bucket.tokens),
            secondsUntilFull: Int(((Double(held) - bucket.tokens) / perSecond).rounded(.up)),
            secondsUntilNext: bucket.tokens >= next ? 0 : max(1, Int(((next - bucket.tokens) / perSecond).rounded(.up))))
    }

    private func makeRoom(in buckets: inout [Key: Bucket], at now: ContinuousClock.Instant) {
        buckets = buckets.filter { filled($0.value, at: now).tokens < Double(held) }
        // Otherwise, each request would search all buckets until some are full again.
        if buckets.count > capacity / 2 { buckets = [:] }
    }
}

/// Not nested, because a type inside of a generic type is looked up at each use.
private struct Bucket {
    var tokens: Double
    var at: ContinuousClock.Instant
}

/// The state of a bucket after a request.
package struct TokenBucketLevel: Equatable, Sendable {
    package let isGranted: Bool
    /// The number of requests that are now granted.
    package let remaining: Int
    /// Seconds until the bucket is full, rounded up.
    package let secondsUntilFull: Int
    /// Seconds until one more request is granted, rounded up. 0 if it is granted at once.
    package let secondsUntilNext: Int
}
