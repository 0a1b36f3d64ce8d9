package import Access
package import Apple
package import Foundation
package import Postgres
package import Sealing
package import Tenancy

/// Saves the user that Apple vouches for, at the callback and at a native sign-in.
package struct SaveUser: Sendable {
    let pool: DatabasePool
    let keyring: Keyring

    package init(pool: DatabasePool, keyring: Keyring) {
        (self.pool, self.keyring) = (pool, keyring)
    }

    /// Saves the user that Apple vouches for, and the name, before anything else can fail.
    /// - Returns: The user, or nil if the user's consent at Apple has ended.
    package func callAsFunction(
        _ token: IDToken, _ name: AppleUser?, refreshToken: String?, _ asked: Identity.Asked, _ connection: Connection, at now: Date
    ) async throws -> ID<User>? {
        var batch = Statements()
        // A transferred user comes first, because Apple itself identifies the user.
        if let move = Identity.move(token, tenant: asked.tenant, application: asked.application, connection: connection, at: now) {
            batch.append(move)
        }
        // Then an open relink window decides which user this is, in the same transaction.
        if let relink = Identity.relink(token, name, asked: asked, connection: connection, at: now) {
            batch.append(relink)
        }
        let saved = batch.append(
            Identity.save(
                token, name, refreshToken: refreshToken, asked: asked, connection: connection, keyring: keyring, at: now))
        if let audit = Identity.auditMove(token, tenant: asked.tenant, application: asked.application, connection: connection, at: now) {
            batch.append(audit)
        }
        // A lost database connection, or a deadlock with a concurrent sign-in or deletion, must not lose the name. A repetition has no second
        // effect.
        let database = OwnerDatabase(pool, tenant: asked.tenant).repeatable
        let results: Statements.Results
        do {
            results = try await database.run(batch)
        } catch let error as DatabaseError where error.kind == .connection || error.isSerializationFailure {
            results = try await database.run(batch)
        }
        return try results[saved].first { try $0.get("id", as: ID<User>.self) }
    }
}
