import Foundation
import Postgres
import TestSupport
import Testing

/// Attacks on people with the server's database role, by its password or by SQL injection in a tenant's request.
@Suite("Attack: people in the database")
struct PeopleTableTests {
    private static let platform = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    private let role: StolenRole
    private let person = UUID()

    init() async throws {
        role = try await StolenRole()
        _ = try await role.owner.run([
            """
            INSERT INTO person (id, name, email, sealed_password, password_changed_at, created_at, updated_at)
            VALUES (\(person), 'Ada', 'ada@example.com', '\\x00', now(), now(), now())
            """,
            """
            INSERT INTO person_session (id, person_id, kind, digest, bound_digest, methods, authenticated_at, created_at, last_used_at,
                expires_at)
            VALUES (\(UUID()), \(person), 'browser', '\\x01', '\\x01', '{pwd}', now(), now(), now(), now())
            """,
            """
            INSERT INTO membership (tenant_id, id, person_id, role, created_at, updated_at)
            VALUES (\(role.acme), \(UUID()), \(person), 'viewer', now(), now())
            """,
        ])
    }

    @Test("a tenant's transaction sees no account, no session and no factor, not even of its own members")
    func accounts() async throws {
        for table in ["person", "person_device", "person_identity", "person_session", "person_totp", "passkey", "recovery_code"] {
            for tenant in [role.acme, role.globex] {
                #expect(try await role.attack(SQL(unsafe: "SELECT FROM \(table)"), as: tenant).isEmpty, "\(table)")
                #expect(try await role.attack(SQL(unsafe: "DELETE FROM \(table)"), as: tenant).affected == 0, "\(table)")
            }
        }
        #expect(try await role.attack("UPDATE person SET sealed_password = '\\x02'", as: role.acme).affected == 0)
        await role.expectRefused(
            "INSERT INTO person (id, name, email, created_at, updated_at) VALUES (gen_random_uuid(), 'x', 'x@x.test', now(), now())",
            as: role.acme)
    }

    @Test("a tenant's transaction makes no operator and no member of another tenant")
    func memberships() async throws {
        for owner in [Self.platform, role.globex] {
            await role.expectRefused(
                """
                INSERT INTO membership (tenant_id, id, person_id, role, created_at, updated_at)
                VALUES (\(owner), gen_random_uuid(), \(person), \(owner == Self.platform ? "operator" : "owner"), now(), now())
                """, as: role.acme)
        }
        // Not even the platform's own transaction moves a membership to another owner or person.
        for column in ["tenant_id", "person_id", "email", "name", "id", "created_at"] {
            await role.expectRefused(SQL(unsafe: "UPDATE membership SET \(column) = \(column)"))
        }
        // A tenant has no operator.
        await role.expectRefused("UPDATE membership SET role = 'operator'", "23514")
        #expect(try await role.attack("SELECT FROM membership", as: role.globex).isEmpty)
    }

    @Test("an invitation is not moved, widened, prolonged or opened again")
    func invitations() async throws {
        _ = try await role.owner.run(
            """
            INSERT INTO invitation (tenant_id, id, email, role, digest, bound_digest, invited_by, expires_at, accepted_at, person_id,
                created_at, updated_at)
            VALUES (\(role.acme), \(UUID()), 'ada@example.com', 'viewer', '\\x01', '\\x01', 'system', now(), now(), \(person), now(), now())
            """)
        for column in ["tenant_id", "role", "role_id", "digest", "bound_digest", "email", "expires_at"] {
            await role.expectRefused(SQL(unsafe: "UPDATE invitation SET \(column) = \(column)"))
        }
        await role.expectRefused("UPDATE invitation SET accepted_at = NULL, person_id = NULL")
        await role.expectRefused("UPDATE invitation SET person_id = gen_random_uuid()")
        #expect(try await role.attack("SELECT FROM invitation", as: role.globex).isEmpty)
    }

    @Test("a support access is not prolonged, moved, reopened, and not seen by another tenant")
    func supportAccesses() async throws {
        let (open, ended) = (UUID(), UUID())
        _ = try await role.owner.run([
            """
            INSERT INTO support_access (tenant_id, id, person_id, operator_name, reason, started_at, ends_at)
            VALUES (\(role.acme), \(open), \(person), 'Ada', 'Ticket 4711', now(), now() + interval '1 hour')
            """,
            """
            INSERT INTO support_access (tenant_id, id, person_id, operator_name, reason, started_at, ends_at, ended_at, ended_by)
            VALUES (\(role.acme), \(ended), \(person), 'Ada', 'Ticket 4711', now(), now() + interval '1 hour', now(), 'system')
            """,
        ])
        for column in ["tenant_id", "id", "person_id", "operator_name", "reason", "started_at", "ends_at"] {
            await role.expectRefused(SQL(unsafe: "UPDATE support_access SET \(column) = \(column)"))
        }
        await role.expectRefused("UPDATE support_access SET ended_at = NULL, ended_by = NULL WHERE id = \(ended)")
        await role.expectRefused("DELETE FROM support_access")
        #expect(try await role.attack("SELECT FROM support_access", as: role.globex).isEmpty)
        await role.expectRefused(
            """
            INSERT INTO support_access (tenant_id, id, person_id, operator_name, reason, started_at, ends_at)
            VALUES (\(role.globex), gen_random_uuid(), \(person), 'Ada', 'Ticket 4711', now(), now() + interval '1 hour')
            """, as: role.acme)

        // An act has only a support access of the same person and tenant.
        func event(_ support: UUID, of owner: UUID) -> SQL {
            """
            INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject, support_access_id)
            VALUES (\(owner), gen_random_uuid(), now(), public_id('person', \(person)), 'x', 'x', public_id('support', \(support)))
            """
        }
        try await role.attack(event(open, of: role.acme), as: role.acme)
        await role.expectRefused(event(UUID(), of: role.acme), as: role.acme, "23514")
        await role.expectRefused(event(open, of: role.globex), as: role.globex, "23514")
    }

    @Test("an audit event names only a person who exists")
    func actor() async throws {
        func event(_ actor: String) -> SQL {
            """
            INSERT INTO audit_event (tenant_id, id, occurred_at, actor, action, subject)
            VALUES (\(role.acme), gen_random_uuid(), now(), \(actor), 'act', 'x')
            """
        }
        let known = try await role.owner.run("SELECT public_id('person', \(person)) AS id")[0].get("id", as: String.self)
        try await role.attack(event(known), as: role.acme)
        let unknown = try await role.owner.run("SELECT public_id('person', gen_random_uuid()) AS id")[0].get("id", as: String.self)
        for actor in [unknown, "person_", "member_01jd8x3v6qf9wr2m5tzk7h4c0n"] {
            await role.expectRefused(event(actor), as: role.acme, "23514")
        }
    }
}
