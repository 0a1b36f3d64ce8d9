/// The delay before a new attempt: 50 ms, doubled up to 0.8 s, so that a new primary is found soon. Half of it is random, so that the
/// processes of an installation do not all connect at once when a server is back.
enum BackOff {
    static func delay(afterFailures failures: Int) -> Duration {
        let longest = Duration.milliseconds(50 << min(max(failures - 1, 0), 4))
        return longest * Double.random(in: 0.5...1)
    }
}
