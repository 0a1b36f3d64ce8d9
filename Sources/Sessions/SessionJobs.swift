import Access
import BrowserSessions
import Foundation
package import Logging
package import Outbox
package import Postgres
package import ServiceLifecycle
package import Signing
package import Tenancy

/// The background work on sessions.
package struct SessionJobs: Sendable {
    let pool: DatabasePool
    let signingKeys: SigningKeys
    let directory: TenantDirectory
    let publicURL: String
    /// Whether logout tokens may go to private networks and without TLS, for development.
    let allowsPrivate: Bool
    let logger: Logger

    package init(
        pool: DatabasePool, signingKeys: SigningKeys, directory: TenantDirectory, publicURL: String, allowsPrivate: Bool, logger: Logger
    ) {
        (self.pool, self.signingKeys, self.directory, self.publicURL) = (pool, signingKeys, directory, publicURL)
        (self.allowsPrivate, self.logger) = (allowsPrivate, logger)
    }

    /// The work after a commit, by the kind of the outbox's entry.
    package var outboxHandlers: [String: OutboxWorker.Handler] {
        let deliver = DeliverLogoutToken(
            databases: OwnerDatabases(pool), signingKeys: signingKeys, directory: directory, publicURL: publicURL,
            allowsPrivate: allowsPrivate,
            logger: logger)
        return [DeliverLogoutToken.outboxKind: deliver.handle]
    }

    package var passes: [any Service] {
        [
            Recurring(.forgetRevocations, every: .seconds(600), in: pool, logger: logger) { database in
                try await Revocations.forgetOld(in: database)
                try await BrowserSession.forgetOld(in: database)
            }
        ]
    }
}
