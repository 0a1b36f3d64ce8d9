/// The delay before a new attempt to connect: 50 ms, doubled up to 3.2 s. Half of it is random, so that the processes of an
/// installation do not all connect at once when a server is back.
enum BackOff {
    static func delay(afterFailures failures: Int) -> Duration {
        let longest = Duration.milliseconds(50 << min(max(failures - 1, 0), 6))
        return longest * Double.random(in: 0.5...1)
    }
}
