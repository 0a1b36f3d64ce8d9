package import Access
import Delivery
package import Foundation
package import Logging
import Synchronization

/// The key sets that applications and providers publish at their `jwks_uri`, stored in memory.
///
/// - A set is used for 5 minutes without a request. A removed key is then refused.
/// - An unknown `kid` causes one fetch for all callers. A token bucket per document limits the fetches, so invented `kid`s cause no more.
/// - If a document is unavailable, its last keys stay valid for one hour.
/// - A fetch goes only to public addresses, takes up to 5 s, and reads up to 64 KiB.
package final class KeyDocuments: Sendable {
    /// The reason for an unavailable document.
    package enum Failure: String, Sendable {
        case nameNotResolved = "name_not_resolved"
        case addressRefused = "address_refused"
        case connectionFailed = "connection_failed"
        case tlsFailed = "tls_failed"
        case timedOut = "timed_out"
        case noHTTP = "no_http"
        /// The status is not 200.
        case status
        /// The document has no usable key, or is too long.
        case noKeys = "no_keys"
    }

    private struct Document: Hashable {
        let tenant: ID<Tenant>
        let uri: String
    }

    private struct State {
        var keys: PublicKeySet?
        var fetchedAt = Date.distantPast
        var failure: Failure?
        /// The number of fetches left at `countedAt`.
        var budget = KeyDocuments.budget
        var countedAt = Date.distantPast
        /// The fetch in progress. It belongs to no caller.
        var fetch: Task<Void, Never>?
    }

    private enum Step {
        case found(PublicKeySet)
        case wait(Task<Void, Never>)
        case failed(Failure)
    }

    private static let budget = 5.0
    /// The seconds after which a document may be fetched once more.
    private static let interval: TimeInterval = 30
    private static let freshness: TimeInterval = 300
    private static let longestUse: TimeInterval = 3600
    private static let longestDocument = 64 * 1024
    private static let capacity = 2000

    private let allowsPrivate: Bool
    private let logger: Logger
    private let states = Mutex<[Document: State]>([:])

    /// - Parameter allowsPrivate: whether a document may be in a private network and without TLS. For development.
    package init(allowsPrivate: Bool, logger: Logger) {
        (self.allowsPrivate, self.logger) = (allowsPrivate, logger)
    }

    /// The keys of a document.
    /// - Parameter suffices: whether the caller finds its key in a set. If it does not, the document is fetched again.
    /// - Throws: `ClientAssertion.Refusal.keysUnavailable`.
    package func keys(
        at uri: String, of tenant: ID<Tenant>, at now: Date, where suffices: (PublicKeySet) -> Bool
    ) async throws(ClientAssertion.Refusal) -> PublicKeySet {
        let document = Document(tenant: tenant, uri: uri)
        var hasWaited = false
        while true {
            switch nextStep(document, at: now, mayFetch: !hasWaited, suffices) {
            case .found(let keys): return keys
            case .failed(let failure): throw .keysUnavailable(failure)
            case .wait(let fetch):
                await fetch.value
                hasWaited = true
            }
        }
    }

    private func nextStep(_ document: Document, at now: Date, mayFetch: Bool, _ suffices: (PublicKeySet) -> Bool) -> Step {
        states.withLock { states in
            var state = states[document] ?? State()
            let age = abs(now.timeIntervalSince(state.fetchedAt))
            if let keys = state.keys, age < Self.freshness, suffices(keys) { return .found(keys) }
            if mayFetch {
                if let fetch = state.fetch { return .wait(fetch) }
                if Self.spend(&state, at: now) {
                    let fetch = Task { await self.fetch(document, at: now) }
                    state.fetch = fetch
                    // The oldest document can be fetched again.
                    if states[document] == nil, states.count >= Self.capacity,
                        let oldest = states.filter({ $0.value.fetch == nil }).min(by: { $0.value.countedAt < $1.value.countedAt })
                    {
                        states[oldest.key] = nil
                    }
                    states[document] = state
                    return .wait(fetch)
                }
            }
            if let keys = state.keys, age < Self.longestUse { return .found(keys) }
            return .failed(state.failure ?? .noKeys)
        }
    }

    /// Takes one fetch from the budget, if any is left.
    private static func spend(_ state: inout State, at now: Date) -> Bool {
        state.budget = min(budget, state.budget + abs(now.timeIntervalSince(state.countedAt)) / interval)
        state.countedAt = now
        guard state.budget >= 1 else { return false }
        state.budget -= 1
        return true
    }

    private func fetch(_ document: Document, at now: Date) async {
        let result = await download(document.uri)
        if case .failure(let failure) = result {
            logger.notice("a jwks_uri is unavailable", metadata: ["tenant": "\(document.tenant)", "reason": "\(failure.rawValue)"])
        }
        states.withLock { states in
            var state = states[document] ?? State()
            switch result {
            case .success(let keys): (state.keys, state.fetchedAt, state.failure) = (keys, now, nil)
            case .failure(let failure): state.failure = failure
            }
            state.fetch = nil
            states[document] = state
        }
    }

    private enum Download {
        case success(PublicKeySet)
        case failure(Failure)
    }

    private func download(_ uri: String) async -> Download {
        let request = OutgoingRequest(
            url: uri, headers: [("accept", "application/jwk-set+json, application/json")], body: nil, allowsPrivate: allowsPrivate)
        // Only a cancellation throws, and nothing cancels this task.
        guard let outcome = try? await request.ask(within: .seconds(5), reading: Self.longestDocument, of: 200..<201)
        else { return .failure(.connectionFailed) }
        switch outcome.answer {
        case .status(200): return PublicKeySet(published: outcome.body).map(Download.success) ?? .failure(.noKeys)
        case .status: return .failure(.status)
        case .failure(let failure): return .failure(Failure(rawValue: failure.rawValue) ?? .connectionFailed)
        }
    }
}
