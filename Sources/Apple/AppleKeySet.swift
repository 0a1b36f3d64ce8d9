import Foundation
import JWTKit
import Logging
import Synchronization

/// Apple's published signing keys (`GET /auth/keys`), stored in memory by `kid`.
///
/// - A known `kid` never waits, regardless of the age of the set. An old set is fetched again in the background.
/// - An unknown `kid` causes one fetch for all callers. A token bucket limits these fetches: it contains `fetchBudget` tokens and
///   gains one per `refetchInterval`. So Apple may rotate several times in a row, and invented `kid`s cause no more fetches than
///   the bucket allows. Each fetch brings Apple's newest keys for all callers.
/// - A fetch that fails, or that returns no usable key, does not change the set.
final class AppleKeySet: Sendable {
    private struct State {
        var keys: [String: any JWTAlgorithm] = [:]
        var fetchedAt = Date.distantPast
        var attemptedAt = Date.distantPast
        /// The number of fetches left at `countedAt`.
        var budget: Double
        var countedAt = Date.distantPast
        /// The error of the last attempt; nil if it succeeded.
        var failure: AppleError?
        /// The fetch in progress. It belongs to no caller, so a caller that gives up does not end it for the others.
        var fetch: Task<Void, Never>?
    }

    private enum Step {
        case found(any JWTAlgorithm)
        /// `isNew` is true if this caller started the fetch.
        case wait(Task<Void, Never>, isNew: Bool)
        case unknown
        case failed(AppleError)
    }

    private let state: Mutex<State>
    private let fetchBudget: Double
    private let refetchInterval: TimeInterval
    private let maximumAge: TimeInterval
    private let logger: Logger
    private let download: @Sendable () async throws(AppleError) -> [UInt8]

    init(
        fetchBudget: Int, refetchInterval: Duration, maximumAge: Duration, logger: Logger,
        download: @escaping @Sendable () async throws(AppleError) -> [UInt8]
    ) {
        self.fetchBudget = Double(max(1, fetchBudget))
        self.refetchInterval = refetchInterval / .seconds(1)
        state = Mutex(State(budget: self.fetchBudget))
        self.maximumAge = maximumAge / .seconds(1)
        self.logger = logger
        self.download = download
    }

    /// Returns the key with this `kid`, or nil if Apple publishes none.
    ///
    /// - Parameter deadline: The latest time to wait for a fetch. The fetch continues for others.
    /// - Throws: The reason why Apple's keys are unavailable, if the key is not already known.
    func key(_ id: String, at now: Date, by deadline: ContinuousClock.Instant? = nil) async throws(AppleError) -> (any JWTAlgorithm)? {
        var hasAwaitedFetch = false
        while true {
            switch nextStep(for: id, at: now) {
            case .found(let key): return key
            case .unknown: return nil
            case .failed(let failure): throw failure
            case .wait(let fetch, let isNew):
                let isFinished = await Self.wait(for: fetch, until: deadline)
                guard !Task.isCancelled else { throw .cancelled }
                guard isFinished else { throw .timedOut }
                let (key, failure) = state.withLock { ($0.keys[id], $0.failure) }
                if let key { return key }
                if let failure { throw failure }
                // Apple may have answered a fetch in progress before it published the key. A fetch that started since then is
                // conclusive.
                guard !isNew, !hasAwaitedFetch else { return nil }
                hasAwaitedFetch = true
            }
        }
    }

    /// Starts a fetch if no keys are known yet. It does not wait.
    func prepare(at now: Date) {
        state.withLock { state in
            guard state.keys.isEmpty, state.fetch == nil, isRested(state, at: now), spend(&state, at: now) else { return }
            startFetch(&state, at: now)
        }
    }

    /// Returns whether the fetch ended before the deadline and before the caller was cancelled.
    private static func wait(for fetch: Task<Void, Never>, until deadline: ContinuousClock.Instant?) async -> Bool {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        Task {
            await fetch.value
            end.yield(true)
        }
        let limit = deadline.map { deadline in
            Task {
                try await Task.sleep(until: deadline)
                end.yield(false)
            }
        }
        defer { limit?.cancel() }
        return await ends.first { _ in true } ?? false
    }

    private func nextStep(for id: String, at now: Date) -> Step {
        state.withLock { state in
            if let key = state.keys[id] {
                let isOld = abs(now.timeIntervalSince(state.fetchedAt)) >= maximumAge
                // A refresh takes a token only once per interval, so the rest is available for unknown keys.
                if isOld, state.fetch == nil, isRested(state, at: now), spend(&state, at: now) { startFetch(&state, at: now) }
                return .found(key)
            }
            if let fetch = state.fetch { return .wait(fetch, isNew: false) }
            // Without any keys there is no fallback, so the wait is only 1 s.
            let isUrgent = state.keys.isEmpty && abs(now.timeIntervalSince(state.attemptedAt)) >= 1
            if spend(&state, at: now) || isUrgent { return .wait(startFetch(&state, at: now), isNew: true) }
            return state.failure.map(Step.failed) ?? .unknown
        }
    }

    /// Whether at least one interval has passed since the last attempt.
    private func isRested(_ state: State, at now: Date) -> Bool {
        // The absolute value, because a clock set back must not stop the fetches until it reaches the old time.
        abs(now.timeIntervalSince(state.attemptedAt)) >= refetchInterval
    }

    /// Takes one fetch from the budget, if any is left.
    private func spend(_ state: inout State, at now: Date) -> Bool {
        let passed = abs(now.timeIntervalSince(state.countedAt))
        state.budget = refetchInterval > 0 ? min(fetchBudget, state.budget + passed / refetchInterval) : fetchBudget
        state.countedAt = now
        guard state.budget >= 1 else { return false }
        state.budget -= 1
        return true
    }

    @discardableResult
    private func startFetch(_ state: inout State, at now: Date) -> Task<Void, Never> {
        state.attemptedAt = now
        let fetch = Task {
            do throws(AppleError) {
                let keys = try await Self.parse(try await download())
                self.state.withLock {
                    $0.keys = keys
                    $0.fetchedAt = now
                    $0.failure = nil
                    $0.fetch = nil
                }
            } catch {
                logger.warning("Apple's keys could not be fetched; the last good keys stay in use.", metadata: ["reason": "\(error)"])
                self.state.withLock {
                    $0.failure = error
                    $0.fetch = nil
                }
            }
        }
        state.fetch = fetch
        return fetch
    }
}

// MARK: Reading a JWKS

extension AppleKeySet {
    /// Returns the RSA keys of a JWKS (RFC 7517) that can verify RS256. It ignores other keys, because Apple may add
    /// other kinds and they must not invalidate the rest.
    private static func parse(_ json: [UInt8]) async throws(AppleError) -> [String: any JWTAlgorithm] {
        let collection = JWTKeyCollection()
        var keys: [String: any JWTAlgorithm] = [:]
        for (name, key) in try published(json) {
            let id = JWKIdentifier(string: name)
            await collection.add(rsa: key, digestAlgorithm: .sha256, kid: id)
            keys[name] = try? await collection.getKey(for: id)
        }
        guard !keys.isEmpty else { throw .nonsense("a key set without a usable key") }
        return keys
    }

    /// Returns the usable keys with their IDs, in their order.
    static func published(_ json: [UInt8]) throws(AppleError) -> [(id: String, key: Insecure.RSA.PublicKey)] {
        guard let set = try? JSONDecoder().decode(PublishedSet.self, from: Data(json)) else { throw .nonsense("not a JWKS") }
        return set.keys.compactMap(\.rsa).compactMap { fields in
            (try? Insecure.RSA.PublicKey(modulus: fields.n, exponent: fields.e)).map { (fields.kid, $0) }
        }
    }

    private struct PublishedSet: Decodable {
        let keys: [PublishedKey]
    }

    private struct PublishedKey: Decodable {
        let rsa: RSAFields?

        init(from decoder: any Decoder) {
            guard let fields = try? RSAFields(from: decoder), fields.kty == "RSA", fields.alg ?? "RS256" == "RS256",
                fields.use ?? "sig" == "sig", !fields.kid.isEmpty
            else {
                rsa = nil
                return
            }
            rsa = fields
        }
    }

    private struct RSAFields: Decodable {
        let kty: String
        let kid: String
        let alg: String?
        let use: String?
        let n: String
        let e: String
    }
}
