package import Apple
package import Foundation
package import Logging
package import Postgres
package import Sealing
import Web

/// Who may sign users in, with which connection, seen over REST. Each feature's folder has its table of routes: tenants,
/// applications, connections, API keys, the audit trail, webhooks.
package struct TenancyRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let apple: AppleClient
    let directory: TenantDirectory
    /// Where browsers and Apple reach this server, without a slash at its end.
    let publicURL: String
    /// Whether webhooks may lead into private networks and do without TLS: for development.
    let allowsPrivateWebhooks: Bool
    let logger: Logger
    let now: @Sendable () -> Date
    /// Sees to it that a tenant has a key of this kind to sign tokens with: making one can take a second.
    let prepareSigning: @Sendable (Application.SigningAlgorithm, ID<Tenant>) async throws -> Void
    /// How often one owner's new keys may make us ask Apple, in this process: who fails again and again must not have Apple
    /// turn its back on everybody here.
    let questionsToApple = TokenBuckets<UUID>(perMinute: 30)

    package init(
        pool: DatabasePool, keyring: Keyring, apple: AppleClient, directory: TenantDirectory, publicURL: String,
        allowsPrivateWebhooks: Bool = false, logger: Logger, now: @escaping @Sendable () -> Date,
        prepareSigning: @escaping @Sendable (Application.SigningAlgorithm, ID<Tenant>) async throws -> Void
    ) {
        (self.pool, self.keyring, self.apple, self.directory) = (pool, keyring, apple, directory)
        (self.publicURL, self.allowsPrivateWebhooks, self.logger, self.now) = (publicURL, allowsPrivateWebhooks, logger, now)
        self.prepareSigning = prepareSigning
    }
}
