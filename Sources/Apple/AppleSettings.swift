/// Where Apple is and how patiently it is asked. Every default is Apple's real service.
package struct AppleSettings: Sendable {
    /// The URL before `/auth/…`, without a slash at its end.
    package var baseURL: String
    /// The values of an id_token's `iss` that are accepted. Apple briefly used the second one in 2025.
    package var issuers: Set<String>
    /// The `aud` of a client secret.
    package var audience: String
    /// The time limit of one call to Apple: connecting, sending, waiting and reading together.
    package var timeout: Duration
    /// How many calls to Apple may be in progress at once in this process. `ApplePlaces` divides them.
    package var concurrency: Int
    /// How long a call waits for a place at most. It never waits for more than half of its time.
    package var patience: Duration
    /// How many fetches of Apple's keys unknown `kid`s can cause at once. Each `keysRefetchInterval` allows one more. An unknown
    /// `kid` beyond that is refused without a fetch, so that made-up tokens cannot turn this service against Apple's.
    package var keysFetchBudget: Int
    package var keysRefetchInterval: Duration
    /// The age at which Apple's keys are fetched again, behind the back of whoever happens to need one.
    package var keysMaximumAge: Duration

    package init(
        baseURL: String = "https://appleid.apple.com",
        issuers: Set<String> = ["https://appleid.apple.com", "https://account.apple.com"],
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
