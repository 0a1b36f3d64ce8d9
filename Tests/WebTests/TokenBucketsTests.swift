import Testing

@testable import Web

@Suite("Token buckets")
struct TokenBucketsTests {
    private let start = ContinuousClock.now

    @Test("one minute's requests at once, then as fast as it fills")
    func fill() {
        let buckets = TokenBuckets<String>(perMinute: 30)
        let levels = (0..<31).map { _ in buckets.take("a", at: start) }
        #expect(levels[0] == .init(isGranted: true, remaining: 29, secondsUntilFull: 2, secondsUntilNext: 0))
        #expect(levels[29] == .init(isGranted: true, remaining: 0, secondsUntilFull: 60, secondsUntilNext: 2))
        #expect(levels[30] == .init(isGranted: false, remaining: 0, secondsUntilFull: 60, secondsUntilNext: 2))
        #expect(!buckets.take("a", at: start + .milliseconds(1990)).isGranted)
        #expect(buckets.take("a", at: start + .milliseconds(2010)).isGranted)
        #expect(!buckets.take("a", at: start + .milliseconds(2010)).isGranted)
        buckets.giveBack("a", at: start + .milliseconds(2010))
        #expect(buckets.take("a", at: start + .milliseconds(2010)).isGranted)
        // Never more than one minute's requests.
        #expect(buckets.take("a", at: start + .seconds(3600)).remaining == 29)
        for _ in 1...3 { buckets.giveBack("a", at: start + .seconds(3600)) }
        #expect(buckets.take("a", at: start + .seconds(3600)).remaining == 29)
    }

    @Test("a bucket may hold more than one minute's requests")
    func holding() {
        let buckets = TokenBuckets<String>(perMinute: 1, holding: 3)
        let levels = (0..<4).map { _ in buckets.take("a", at: start) }
        #expect(levels.map(\.isGranted) == [true, true, true, false])
        #expect(levels[3].secondsUntilFull == 180)
        #expect(!buckets.take("a", at: start + .seconds(59)).isGranted)
        #expect(buckets.take("a", at: start + .seconds(61)).isGranted)
        #expect(buckets.take("a", at: start + .seconds(3600)).remaining == 2)
    }

    @Test("callers have separate buckets")
    func apart() {
        let buckets = TokenBuckets<String>(perMinute: 1)
        #expect(buckets.take("a", at: start).isGranted)
        #expect(buckets.take("b", at: start).isGranted)
        #expect(!buckets.take("a", at: start).isGranted)
    }

    @Test("clock readings out of order remove nothing")
    func order() {
        let buckets = TokenBuckets<String>(perMinute: 60)
        _ = buckets.take("a", at: start + .seconds(1))
        #expect(buckets.take("a", at: start).remaining == 58)
        #expect(buckets.take("a", at: start + .seconds(1)).remaining == 57)
    }

    @Test("any number of callers uses limited memory, and callers affect no other limit while there is room")
    func bounded() {
        let buckets = TokenBuckets<Int>(perMinute: 60, capacity: 100)
        // Each bucket is full again before the next caller.
        for caller in 0..<10_000 { _ = buckets.take(caller, at: start + .seconds(2 * caller)) }
        let busy = start + .seconds(20_000)
        for _ in 0..<60 { _ = buckets.take(-1, at: busy) }
        for caller in 0..<40 { _ = buckets.take(caller, at: busy) }
        #expect(!buckets.take(-1, at: busy).isGranted)
        #expect(buckets.count <= 100)
    }
}
