package import Access
import Crypto
package import Foundation
package import Logging
package import Postgres

/// Verifies the assertions of applications with their public keys, and uses each assertion up.
package struct ClientAssertions: Sendable {
    /// Where the keys of an application are.
    package enum Keys: Sendable {
        case registered(PublicKeySet)
        /// The application publishes them at this https URL.
        case published(at: String)
    }

    private let pool: DatabasePool
    private let documents: KeyDocuments

    /// - Parameter allowsPrivate: whether a document may be in a private network and without TLS. For development.
    package init(pool: DatabasePool, allowsPrivate: Bool, logger: Logger) {
        self.pool = pool
        documents = KeyDocuments(allowsPrivate: allowsPrivate, logger: logger)
    }

    /// Verifies an assertion and uses it up. Another server process may have used it, so the database decides.
    ///
    /// The statement runs once and last: neither an unsigned assertion nor a retry of the statement uses up an ID.
    /// - Throws: `ClientAssertion.Refusal`, or an error of the database.
    package func use(
        _ assertion: ClientAssertion, of client: String, _ tenant: ID<Tenant>, keys: Keys, at now: Date
    ) async throws {
        let set: PublicKeySet
        switch keys {
        case .registered(let registered): set = registered
        case .published(let uri):
            set = try await documents.keys(at: uri, of: tenant, at: now) { assertion.isNamed(in: $0) }
        }
        guard assertion.isSigned(byKeyOf: set) else { throw ClientAssertion.Refusal.signature }
        let digest = Array(SHA256.hash(data: Data("client_assertion \(client) \(assertion.id)".utf8)))
        let until = assertion.expiresAt.addingTimeInterval(ClientAssertion.leeway)
        let isNew = try await !OwnerDatabase(pool, tenant: tenant).run(SingleUses.insertIfNew(digest, of: tenant, until: until)).isEmpty
        guard isNew else { throw ClientAssertion.Refusal.used }
    }
}
