import Access
import Foundation
import Postgres
import Web

/// An account as operators see it: the person, the number of factors and sessions, and the memberships of all owners.
struct ListedPerson: Sendable {
    let person: Person
    let hasPassword, hasAuthenticator: Bool
    let recoveryCodes, passkeys, sessions: Int
    var memberships: [(owner: UUID, membership: Membership)] = []
}

// MARK: Rows

extension ListedPerson {
    init(_ row: Row) throws {
        person = try Person(row)
        hasPassword = try row.get("has_password")
        hasAuthenticator = try row.get("has_authenticator")
        recoveryCodes = try row.get("recovery_codes")
        passkeys = try row.get("passkeys")
        sessions = try row.get("sessions")
    }

    /// The columns of an account `p`.
    private static func columns(at now: Date) -> SQL {
        """
        p.id, p.name, p.email, p.email_proved_at, p.password_changed_at, p.sessions_valid_after, p.created_at, p.updated_at,
            p.sealed_password IS NOT NULL AS has_password,
            EXISTS (SELECT FROM person_totp AS t
                WHERE t.tenant_id = p.tenant_id AND t.person_id = p.id AND t.confirmed_at IS NOT NULL) AS has_authenticator,
            (SELECT count(*) FROM recovery_code AS r
                WHERE r.tenant_id = p.tenant_id AND r.person_id = p.id AND r.used_at IS NULL) AS recovery_codes,
            (SELECT count(*) FROM passkey AS k WHERE k.tenant_id = p.tenant_id AND k.person_id = p.id) AS passkeys,
            (SELECT count(*) FROM person_session AS s
                WHERE s.tenant_id = p.tenant_id AND s.person_id = p.id AND \(part: PersonSession.isActive(at: now))) AS sessions
        """
    }

    static func find(_ id: ID<Person>, in db: some StatementRunner, at now: Date) async throws -> ListedPerson? {
        let (found, memberships) = try await db.run(
            "SELECT \(part: columns(at: now)) FROM person AS p WHERE p.tenant_id = \(UUID.platform) AND p.id = \(id)",
            Membership.all(of: id))
        guard var person = try found.first(ListedPerson.init) else { return nil }
        person.memberships = try memberships.map { (try $0.get("tenant_id"), try Membership($0)) }
        return person
    }

    /// - Parameter key: the address with `A` to `Z` in lowercase. Nil for all.
    static func page(
        _ page: PageRequest, address key: String?, in db: some StatementRunner, at now: Date
    ) async throws -> [ListedPerson] {
        let people = try await db.run(
            """
            SELECT \(part: columns(at: now)) FROM person AS p
            WHERE p.tenant_id = \(UUID.platform) AND p.id < \(page.upper) AND p.id > \(page.lower)
                AND (\(key) IS NULL OR p.email_key = \(key))
            ORDER BY CASE WHEN \(page.isBackward) THEN p.id END ASC, p.id DESC LIMIT \(page.fetched)
            """
        ).map(ListedPerson.init)
        let memberships = try await db.run(Membership.all(of: people.map(\.person.id)))
            .map { (owner: try $0.get("tenant_id", as: UUID.self), membership: try Membership($0)) }
        return people.map { each in
            var person = each
            person.memberships = memberships.filter { $0.membership.person == person.person.id }
            return person
        }
    }
}
