import Synchronization

/// So many requests a minute for each of many callers: a bucket each, which holds a minute's worth, or another amount, and fills
/// evenly.
///
/// In the memory of one process, and bounded: with several processes a caller has as many buckets. A bucket that is full again is
/// forgotten, which changes nothing. Should there be more callers than there is room for, all buckets are forgotten.
package final class TokenBuckets<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var at: ContinuousClock.Instant
    }

    package let perMinute: Int
    private let held, capacity: Int
    private let buckets = Mutex<[Key: Bucket]>([:])

    /// - Parameters:
    ///   - perMinute: what a bucket gets in a minute.
    ///   - held: what it holds; a minute's worth unless it is told.
    ///   - capacity: how many buckets are kept.
    package init(perMinute: Int, holding held: Int? = nil, capacity: Int = 50_000) {
        (self.perMinute, self.held, self.capacity) = (max(1, perMinute), max(1, held ?? perMinute), max(1, capacity))
    }

    /// Takes tokens, if there are as many.
    /// - Parameter cost: how many. More than a bucket holds are as many as it holds.
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

    /// Gives back a token that was taken. A bucket never holds more than its capacity.
    package func giveBack(_ key: Key, at now: ContinuousClock.Instant) {
        buckets.withLock { buckets in
            // A bucket that was forgotten is full.
            guard buckets[key] != nil else { return }
            var bucket = filled(buckets[key], at: now)
            bucket.tokens = min(Double(held), bucket.tokens + 1)
            buckets[key] = bucket
        }
    }

    /// How many buckets are kept at the moment.
    var count: Int { buckets.withLock { $0.count } }

    private var perSecond: Double { Double(perMinute) / 60 }

    private func filled(_ bucket: Bucket?, at now: ContinuousClock.Instant) -> Bucket {
        guard let bucket else { return Bucket(tokens: Double(held), at: now) }
        // Requests are counted in another order than they looked at the clock: nobody loses by that.
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
        // Each would cost a search of all others until some are full again.
        if buckets.count > capacity / 2 { buckets = [:] }
    }
}

/// What is left in a bucket after a request.
package struct TokenBucketLevel: Equatable, Sendable {
    package let isGranted: Bool
    /// How many more requests are granted at this moment.
    package let remaining: Int
    /// Seconds until the bucket is full, rounded up.
    package let secondsUntilFull: Int
    /// Seconds until one more is granted, rounded up: 0 when it would be at once.
    package let secondsUntilNext: Int
}
