package import Access
package import Foundation
package import Postgres
package import Sealing
import Synchronization
package import Web

/// Finds people as callers of the REST API by the secrets of their sessions.
///
/// Only a session of a terminal is a bearer token. The secret of a browser's session has an effect only as a cookie of our own pages.
///
/// A membership does not count if its tenant requires a sign-in with its own provider, and another one started the session.
///
/// The end of a session and every change of the person's memberships, roles, address and support accesses take effect in every process within
/// 1 s, because their notifications name the person and empty this cache. So do the changes of what a tenant requires, which name the tenant.
package final class PersonCallers: Sendable {
    private let keyring: Keyring
    private let people: SecretCache<SignedInPerson>
    private let index = MemberIndex()

    /// - Parameter requiring: the tenants among those of a person that require a sign-in with their own provider.
    package init(
        database: PlatformDatabase, keyring: Keyring,
        requiring:
            @escaping @Sendable (
                _ person: ID<Person>, _ address: String, _ tenants: [UUID], _ database: PlatformDatabase
            ) async throws -> Set<UUID>
    ) {
        self.keyring = keyring
        people = SecretCache { [index] digests in
            let (sessions, memberships, open) = try await database.repeatable.run(
                PersonSession.find(digests: digests), Self.permissions(digests: digests), SupportAccess.open(digests: digests))
            guard let session = try sessions.first(PersonSession.init), session.kind == .terminal else { return nil }
            let tenants = try memberships.map { try $0.get("tenant_id", as: UUID.self) }.filter { $0 != .platform }
            var supports: [UUID: SupportAccess] = [:]
            for row in open { supports[try row.get("tenant_id")] = try SupportAccess(row) }
            // It comes before the tenants are asked, so that a change after this forgets the person.
            index.add(session.person.uuid, to: tenants + supports.keys)
            let address = try memberships.first { try $0.get("email", as: String.self) } ?? ""
            let required = try await requiring(session.person, address, tenants, database.repeatable)
            var scopes: [UUID: Set<APIKey.Scope>] = [:]
            for row in memberships {
                let owner: UUID = try row.get("tenant_id")
                if required.contains(owner), try !session.satisfiesProvider(of: owner, as: Role(row)) { continue }
                scopes[owner] = try Self.scopes(row)
            }
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
        if let owner { for person in index.remove(owner) { people.forget(person) } }
    }

    package func forgetAll(isFresh: Bool) {
        people.forgetAll(isFresh: isFresh)
    }

    /// The memberships of the person with a session, with the scopes of the roles that tenants defined.
    ///
    /// It reads the rows of all tenants by the person, because this work comes before the tenant is known: the memberships decide on it. An
    /// index of the person leads to few rows (`membership_of_person`).
    private static func permissions(digests: [[UInt8]]) -> SQL {
        """
        SELECT m.tenant_id, m.role, m.role_id, m.email, r.scopes FROM membership AS m
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

/// The people in the cache, by the tenants on whose configuration their permissions depend.
private final class MemberIndex: Sendable {
    private let people = Mutex<[UUID: Set<UUID>]>([:])

    func add(_ person: UUID, to tenants: [UUID]) {
        people.withLock { people in for tenant in tenants { people[tenant, default: []].insert(person) } }
    }

    func remove(_ tenant: UUID) -> Set<UUID> { people.withLock { $0.removeValue(forKey: tenant) ?? [] } }
}
