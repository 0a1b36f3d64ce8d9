import Access
import ClientKeys
import Delivery
import Encoding
import Foundation
package import Logging
import Synchronization
import Web

/// The documents that providers publish, stored in memory: discovery documents for an hour, and key sets as those of applications
/// (`KeyDocuments`).
///
/// A fetch goes only to public addresses, takes up to 5 s, and reads up to 64 KiB. A token bucket per issuer limits the fetches, because the
/// press of a button on the sign-in page can cause one.
package final class ProviderDocuments: Sendable {
    private struct Document: Hashable {
        let tenant: ID<Tenant>
        let issuer: String

        static func == (one: Document, other: Document) -> Bool { one.tenant == other.tenant && one.issuer.isSame(as: other.issuer) }
    }

    private struct Entry {
        let metadata: ProviderMetadata
        let fetchedAt: Date
    }

    private static let freshness: TimeInterval = 3600
    static let longest = 64 * 1024
    static let limit = Duration.seconds(5)
    private static let capacity = 2000

    let allowsPrivate: Bool
    private let keys: KeyDocuments
    private let entries = Mutex<[Document: Entry]>([:])
    private let fetches = TokenBuckets<Document>(perMinute: 4, capacity: ProviderDocuments.capacity)

    /// - Parameter allowsPrivate: whether a document may be in a private network and without TLS. For development.
    package init(allowsPrivate: Bool, logger: Logger) {
        self.allowsPrivate = allowsPrivate
        keys = KeyDocuments(allowsPrivate: allowsPrivate, logger: logger)
    }

    /// The discovery document of an issuer.
    /// - Parameter isFresh: whether it is fetched again, for a check.
    /// - Throws: `OIDCRefusal`.
    func metadata(of issuer: String, _ tenant: ID<Tenant>, isFresh: Bool = false, at now: Date) async throws -> ProviderMetadata {
        let document = Document(tenant: tenant, issuer: issuer)
        if !isFresh, let entry = entries.withLock({ $0[document] }), abs(now.timeIntervalSince(entry.fetchedAt)) < Self.freshness {
            return entry.metadata
        }
        guard fetches.take(document, at: .now).isGranted
        else { throw OIDCRefusal(.discovery, nil, "The document was fetched too often in a minute. Retry in a minute.") }
        let request = OutgoingRequest(
            url: ProviderMetadata.url(of: issuer), headers: [("accept", "application/json")], body: nil, allowsPrivate: allowsPrivate)
        let outcome = try await request.ask(within: Self.limit, reading: Self.longest, of: 200..<201)
        switch outcome.answer {
        case .status(200): break
        case .status(let status): throw OIDCRefusal(.discovery, nil, "The document has the status \(status).")
        case .failure(let failure): throw OIDCRefusal(.discovery, nil, "The document is unavailable (\(failure.rawValue)).")
        }
        let metadata = try ProviderMetadata(json: outcome.body, issuer: issuer, allowsPrivate: allowsPrivate)
        entries.withLock { entries in
            // The oldest document can be fetched again.
            if entries[document] == nil, entries.count >= Self.capacity,
                let oldest = entries.min(by: { $0.value.fetchedAt < $1.value.fetchedAt })
            {
                entries[oldest.key] = nil
            }
            entries[document] = Entry(metadata: metadata, fetchedAt: now)
        }
        return metadata
    }

    /// The keys of a provider.
    /// - Parameter suffices: whether the caller finds its key in a set. If it does not, the document is fetched again.
    /// - Throws: `OIDCRefusal`.
    func keys(
        at uri: String, of tenant: ID<Tenant>, at now: Date, where suffices: (PublicKeySet) -> Bool
    ) async throws -> PublicKeySet {
        do { return try await keys.keys(at: uri, of: tenant, at: now, where: suffices) } catch {
            guard case .keysUnavailable(let failure) = error else { throw error }
            throw OIDCRefusal(.keys, nil, "The document is unavailable, or has no usable key (\(failure.rawValue)).")
        }
    }
}
