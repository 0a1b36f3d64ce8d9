package import Access
package import Apple
import Foundation
package import Logging
package import Postgres
package import Sealing
import Tenancy

/// Redeems a code at Apple, with the key of the connection that Apple accepts.
package struct RedeemAtApple: Sendable {
    let pool: DatabasePool
    let apple: AppleClient
    let keyring: Keyring
    let lastUsed: LastUsed
    let logger: Logger

    package init(pool: DatabasePool, apple: AppleClient, keyring: Keyring, lastUsed: LastUsed, logger: Logger) {
        (self.pool, self.apple, self.keyring, self.lastUsed, self.logger) = (pool, apple, keyring, lastUsed, logger)
    }

    /// - Parameters:
    ///   - redirectURI: the redirect URI that was sent to Apple; nil for a code of a native application.
    ///   - clientID: the client that Apple issued the code to: the Services ID, or a bundle ID.
    func callAsFunction(
        _ code: String, redirectURI: String?, clientID: String, _ tenant: Tenant, _ connection: Connection, _ key: AppleKey,
        at now: Date, by deadline: ContinuousClock.Instant
    ) async throws -> AppleTokens {
        let tokens: AppleTokens
        do throws(AppleError) {
            tokens = try await apple.redeem(
                code: code, redirectURI: redirectURI, credentials: credentials(tenant, connection, key, clientID: clientID), at: now,
                by: deadline)
            lastUsed.note(key.id, owner: key.owner, at: now)
        } catch {
            // Apple does not use up a code when it refuses the client, so another key of the connection may still redeem it.
            guard case .refused(.invalidClient) = error, let other = await fallbackKey(for: key, of: connection, at: now)
            else { throw error }
            tokens = try await apple.redeem(
                code: code, redirectURI: redirectURI, credentials: credentials(tenant, connection, other, clientID: clientID), at: now,
                by: deadline
            )
            lastUsed.note(other.id, owner: other.owner, at: now)
            if other.state == .previous { await restore(other, insteadOf: key, tenant, at: now) }
        }
        return tokens
    }

    private func credentials(
        _ tenant: Tenant, _ connection: Connection, _ key: AppleKey, clientID: String
    ) -> AppleClientCredentials {
        AppleClientCredentials(teamID: connection.teamID, clientID: clientID, key: key, for: tenant.id.uuid, keyring: keyring)
    }

    /// The key that replaces one that Apple refuses, read from the database. It is the key that was promoted since then, or the previous
    /// key while it is still valid.
    private func fallbackKey(for refused: AppleKey, of connection: Connection, at now: Date) async -> AppleKey? {
        let signing = AppleKey.signing(for: connection.id, owner: connection.owner, at: now)
        let found = try? await OwnerDatabase(pool, owner: connection.owner).run(signing).map(AppleKey.init)
        return found?.first { $0.id != refused.id }
    }

    /// Makes the previous key current again. If this fails, the next login tries again.
    private func restore(_ previous: AppleKey, insteadOf refused: AppleKey, _ tenant: Tenant, at now: Date) async {
        do {
            guard try await AppleKey.restore(previous, insteadOf: refused, in: pool, at: now) else { return }
            logger.error(
                "Apple refuses the promoted key; the previous key is current again",
                metadata: ["tenant": "\(tenant.slug)", "key": "\(refused.id)"])
        } catch {
            logger.error("the previous Apple key could not be restored", metadata: ["tenant": "\(tenant.slug)", "cause": "\(error)"])
        }
    }
}
