import HTTPTypes

extension RequestRecord {
    /// Records the remaining limit for the response (draft-ietf-httpapi-ratelimit-headers-10).
    /// - Parameter quota: The requests per minute.
    package func note(_ level: TokenBucketLevel, _ policy: String, quota: Int) {
        // Every answer to an API key has these. An interpolation of numbers costs several times as much.
        note(header: .rateLimitPolicy, "\"" + policy + "\";q=" + String(quota) + ";w=60")
        note(header: .rateLimit, "\"" + policy + "\";r=" + String(level.remaining) + ";t=" + String(level.secondsUntilFull))
    }

    /// Records for the response that nothing is left, and when to retry.
    /// - Returns: The value of `Retry-After`, in seconds.
    package func refuse(_ level: TokenBucketLevel, _ policy: String, quota: Int) -> Int {
        note(level, policy, quota: quota)
        let seconds = max(1, level.secondsUntilNext)
        note(header: .retryAfter, "\(seconds)")
        return seconds
    }
}
