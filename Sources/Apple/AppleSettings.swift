/// The address of Apple, and the limits for calls to it. Every default is Apple's real service.
package struct AppleSettings: Sendable {
    /// The URL before `/auth/…`, without a trailing slash.
    package var baseURL: String
    /// The accepted values of an id_token's `iss`. Apple briefly used the second value in 2025.
    package var issuers: [String]
    /// The `aud` of a client secret.
    package var audience: String
    /// The time limit of one call to Apple. It covers connecting, sending, waiting and reading.
    package var timeout: Duration
    /// The maximum number of calls to Apple in progress in this process. `ApplePlaces` divides them.
    package var concurrency: Int
    /// The maximum time that a call waits for a place. It never waits for more than half of its own time limit.
    package var patience: Duration
    /// The number of fetches of Apple's keys that unknown `kid`s can cause at once. Each `keysRefetchInterval` allows one more.
    ///
    /// Further unknown `kid`s are rejected without a fetch, so that invented tokens cannot turn this service against Apple's.
    package var keysFetchBudget: Int
    package var keysRefetchInterval: Duration
    /// The age at which Apple's keys are fetched again, in the background.
    package var keysMaximumAge: Duration

    package init(
        baseURL: String = "https://appleid.apple.com",
        issuers: [String] = ["https://appleid.apple.com", "https://account.apple.com"],
        audience: String = "https://appleid.apple.com",
        timeout: Duration = .seconds(10),
        concurrency: Int = 512,
        patience: Duration = .seconds(5),
        keysFetchBudget: Int = 5,
        keysRefetchInterval: Duration = .seconds(10),
        keysMaximumAge: Duration = .seconds(3600)
    ) {
        self.baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        self.issuers = issuers
        self.audience = audience
        self.timeout = timeout
        (self.concurrency, self.patience) = (concurrency, patience)
        (self.keysFetchBudget, self.keysRefetchInterval) = (keysFetchBudget, keysRefetchInterval)
        self.keysMaximumAge = keysMaximumAge
    }
}
