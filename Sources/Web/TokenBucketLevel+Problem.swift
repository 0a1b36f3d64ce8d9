import HTTPTypes

extension TokenBucketLevel {
    /// Refuses a request that the bucket did not grant.
    /// - Parameter detail: It tells the caller to retry after the seconds in `Retry-After`.
    /// - Throws: `Problem` 429.
    package func requireGrant(_ detail: String) throws {
        guard !isGranted else { return }
        var problem = Problem(.rateLimited, detail)
        problem.headers[.retryAfter] = "\(secondsUntilNext)"
        throw problem
    }
}
