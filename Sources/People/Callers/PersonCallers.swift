package import Access
package import Foundation
package import Postgres
package import Sealing
package import Web

/// Finds people as callers of the REST API by the secrets of their sessions.
///
/// Only a session of a terminal is a bearer token. The secret of a browser's session has an effect only as a cookie of our own pages.
///
/// The end of a session and every change of the person's memberships, roles and support accesses take effect in every process within 1 s, because their
/// notifications name the person and empty this cache.
package final class PersonCallers: Sendable {
    private let keyring: Keyring
    private let people: SecretCache<SignedInPerson>

    package init(database: PlatformDatabase, keyring: Keyring) {
        self.keyring = keyring
        people = SecretCache { digests in
            let (sessions, memberships, open) = try await database.repeatable.run(
                PersonSession.find(digests: digests), Self.permissions(digests: digests), SupportAccess.open(digests: digests))
            guard let session = try sessions.first(PersonSession.init), session.kind == .terminal else { return nil }
            var scopes: [UUID: Set<APIKey.Scope>] = [:]
            for row in memberships { scopes[try row.get("tenant_id")] = try Self.scopes(row) }
            var supports: [UUID: SupportAccess] = [:]
            for row in open { supports[try row.get("tenant_id")] = try SupportAccess(row) }
            return (SignedInPerson(session, memberships: scopes, supports: supports), session.person.uuid)
        }
    }

    /// The person with this secret, or nil. An unknown secret and one of an ended session give the same result.
    /// - Parameter limits: bounds the look-ups of secrets that were not valid here before.
    /// - Throws: `TooManyRequests` instead of a look-up, and the database's errors.
    package func find(secret: String, within limits: RequestLimits?, _ record: RequestRecord, at now: Date) async throws -> SignedInPerson?
    {
        guard let digests = PersonSession.digests(of: secret, with: keyring) else { return nil }
        return try await people.find(digests: digests, within: limits, record) { [keyring] person in
            person.session.isActive(at: now) && person.session.authenticates(digests, with: keyring, at: now)
        }
    }

    package func forget(_ owner: UUID?) {
        people.forget(owner)
    }

    package func forgetAll(isFresh: Bool) {
        people.forgetAll(isFresh: isFresh)
    }

    /// The memberships of the person with a session, with the scopes of the roles that tenants defined.
    private static func permissions(digests: [[UInt8]]) -> SQL {
        """
        SELECT m.tenant_id, m.role, m.role_id, r.scopes FROM membership AS m
            LEFT JOIN custom_role AS r ON r.tenant_id = m.tenant_id AND r.id = m.role_id
        WHERE m.person_id = (SELECT person_id FROM person_session WHERE tenant_id = \(UUID.platform) AND digest = ANY(\(digests)))
        """
    }

    private static func scopes(_ row: Row) throws -> Set<APIKey.Scope> {
        switch try Role(row) {
        case .builtIn(let role): role.scopes
        // A scope that this version does not know allows nothing here.
        case .custom: Set(try row.get("scopes", as: [String]?.self)?.compactMap(APIKey.Scope.init) ?? [])
        }
    }
}
