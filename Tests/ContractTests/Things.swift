import Access
import Foundation
import PeopleSSO
import Postgres
import Sealing
import Server
import Tenancy
import TestSupport

/// One object of each kind in an operation's path: Acme's, and the platform's own.
struct Things: Sendable {
    private let acme, platform: [String: UUID]

    init(_ installation: TestPlatform) async throws {
        // A user with a session, and keys that no test uses for calls.
        _ = try await TestBrowser(installation).tokens(.init(installation.acme))
        let tenant = ID<Tenant>(installation.acme.id)!.uuid
        for owner in [tenant, .platform] { _ = try await Keys.issue("Spare", owner: owner, [.tenantsRead], installation) }
        func ids(_ statement: SQL) async throws -> [String: UUID] {
            try await installation.ownerPool.run(statement).first { row in
                ["thing": try row.get("thing", as: UUID.self), "whole": try row.get("whole", as: UUID.self)]
            } ?? [:]
        }
        func connection(of owner: UUID) async throws -> [String: UUID] {
            let found = try await ids("SELECT id AS thing, connection_id AS whole FROM apple_key WHERE tenant_id = \(owner)")
            let key = try await ids(
                "SELECT id AS thing, id AS whole FROM api_key WHERE tenant_id = \(owner) AND name = 'Spare'")
            return ["appleKey": found["thing"], "connection": found["whole"], "apiKey": key["thing"]].compactMapValues { $0 }
        }
        let secret = try await ids("SELECT id AS thing, application_id AS whole FROM application_secret WHERE tenant_id = \(tenant)")
        let session = try await ids("SELECT id AS thing, user_id AS whole FROM session WHERE tenant_id = \(tenant)")
        let identity = try await ids("SELECT id AS thing, user_id AS whole FROM identity WHERE tenant_id = \(tenant)")
        // Keys that are old enough for a rotation.
        _ = try await installation.ownerPool.run("UPDATE signing_key SET created_at = created_at - interval '1 hour'")
        let (webhook, event, delivery, deletion) = (UUID(), UUID(), UUID(), UUID())
        let (transfer, card, api, endpoint, initial, consent) = (UUID(), UUID(), UUID(), UUID(), UUID(), UUID())
        let (domain, ssoDomain, sso, support) = (UUID(), UUID(), UUID(), UUID())
        let row = ID<SSOConnection>(sso).description
        let sealed = installation.settings.keyring.seal(
            Array("secret".utf8), in: SealingContext(tenant: tenant, table: "sso_connection", column: "sealed_client_secret", row: row)
        ).bytes
        let (person, role, platformMember, platformInvitation, member, invitation) = (UUID(), UUID(), UUID(), UUID(), UUID(), UUID())
        _ = try await installation.ownerPool.run([
            """
            INSERT INTO webhook_endpoint (tenant_id, id, url, events, status, created_at, updated_at)
            VALUES (\(tenant), \(webhook), 'https://hooks.example.com/', '{user.created}', 'disabled', now(), now())
            """,
            """
            INSERT INTO webhook_endpoint (tenant_id, id, url, events, format, status, created_at, updated_at)
            VALUES (\(tenant), \(endpoint), 'https://hooks.example.com/', '{user.created}', 'workos', 'disabled', now(), now())
            """,
            """
            INSERT INTO api (tenant_id, id, name, audience, scopes, access_token_seconds, created_at, updated_at)
            VALUES (\(tenant), \(api), 'Billing API', 'https://billing.example.com', '{orders:read}', 3600, now(), now())
            """,
            """
            INSERT INTO custom_role (tenant_id, id, name, scopes, created_at, updated_at)
            VALUES (\(tenant), \(role), 'Support desk', '{users:read}', now(), now())
            """,
            "INSERT INTO person (id, name, email, created_at, updated_at) VALUES (\(person), 'Ada Lovelace', 'ada@example.com', now(), now())",
            """
            INSERT INTO membership (tenant_id, id, person_id, role, created_at, updated_at)
            VALUES (\(tenant), \(member), \(person), 'developer', now(), now()),
                (\(UUID.platform), \(platformMember), \(person), 'operator', now(), now())
            """,
            """
            INSERT INTO support_access (tenant_id, id, person_id, operator_name, reason, started_at, ends_at)
            VALUES (\(tenant), \(support), \(person), 'Ada Lovelace', 'Ticket 4711: sign-ins fail.', now(), now() + interval '1 hour')
            """,
            """
            INSERT INTO invitation (tenant_id, id, email, role, digest, bound_digest, invited_by, expires_at, created_at, updated_at)
            VALUES (\(tenant), \(invitation), 'grace@example.com', 'developer', '\\x01', '\\x00', 'apikey_01jd8x3v6qf9wr2m5tzk7h4c0n',
                    now() + interval '1 day', now(), now()),
                (\(UUID.platform), \(platformInvitation), 'grace@example.com', 'operator', '\\x02', '\\x00', 'system',
                    now() + interval '1 day', now(), now())
            """,
            """
            INSERT INTO sso_connection (tenant_id, id, issuer, client_id, sealed_client_secret, created_at, updated_at)
            VALUES (\(tenant), \(sso), 'https://login.acme.test', 'espalier', \(sealed), now(), now())
            """,
            """
            INSERT INTO sso_domain (tenant_id, id, domain, token, state, verified_at, checked_at, check_due_at, expires_at, created_at,
                updated_at)
            VALUES (\(tenant), \(ssoDomain), 'acme.test', 'mB0Yw9pQ1nT5vXc7ZkR3aA', 'active', now(), now(), now() + interval '1 day', now(),
                now(), now())
            """,
            """
            INSERT INTO domain (tenant_id, id, host, token, state, verified_at, checked_at, proved_since, check_due_at, expires_at,
                created_at, updated_at)
            VALUES (\(tenant), \(domain), 'login.acme.test', 'mB0Yw9pQ1nT5vXc7ZkR3aA', 'active', now(), now(), now(),
                now() + interval '1 day', now(), now(), now())
            """,
            """
            INSERT INTO initial_access_token (tenant_id, id, name, digest, bound_digest, last_four, kinds, requires_pkce, max_registrations,
                registrations, expires_at, created_at, updated_at)
            VALUES (\(tenant), \(initial), 'Partner portal', '\\x00', '\\x00', 'Q3vK', '{web}', true, 10, 1, now() + interval '1 day', now(), now())
            """,
            """
            INSERT INTO client_registration (tenant_id, application_id, initial_access_token_id, digest, bound_digest, metadata, created_at,
                updated_at)
            SELECT \(tenant), application_id, \(initial), '\\x00', '\\x00', '{}', now(), now() FROM application_secret
            WHERE tenant_id = \(tenant) AND id = \(secret["thing"])
            """,
            """
            INSERT INTO consent (tenant_id, user_id, application_id, id, scopes, api_ids, given_at, created_at, updated_at)
            VALUES (\(tenant), \(session["whole"]), \(secret["whole"]), \(consent), '{openid}', '{}', now(), now(), now())
            """,
            """
            INSERT INTO webhook_event (tenant_id, id, type, occurred_at, data)
            VALUES (\(tenant), \(event), 'user.created', now(), '{"id": "user_01jd8x3v6qf9wr2m5tzk7h4c0n"}')
            """,
            """
            INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, state, attempts, created_at, updated_at, last_status)
            VALUES (\(tenant), \(delivery), \(webhook), \(event), 'failed', 1, now(), now(), 500)
            """,
            """
            INSERT INTO user_deletion (tenant_id, id, user_id, requester, requested_by, requested_at, finished_at, updated_at)
            VALUES (\(tenant), \(deletion), \(UUID()), 'api', 'apikey_01jd8x3v6qf9wr2m5tzk7h4c0n', now(), now(), now())
            """,
            """
            INSERT INTO apple_revocation (tenant_id, id, deletion_id, team_id, client_id, status, attempts, last_tried_at, concluded_at)
            VALUES (\(tenant), \(UUID()), \(deletion), 'A1B2C3D4E5', 'com.example', 'revoked', 1, now(), now())
            """,
            "INSERT INTO branding (tenant_id, color, created_at, updated_at) VALUES (\(tenant), '#0a7d5c', now(), now())",
            "INSERT INTO logo (tenant_id, media_type, digest, data) VALUES (\(tenant), 'image/png', sha256('\\x00'), '\\x00')",
            "INSERT INTO budget (tenant_id, logins, created_at, updated_at) VALUES (\(tenant), 10, now(), now())",
            """
            INSERT INTO team_transfer (tenant_id, id, from_team_id, to_team_id, services_id, created_at, updated_at)
            VALUES (\(tenant), \(transfer), \(installation.own.team), 'Z9Y8X7W6V5', \(installation.own.servicesID), now(), now())
            """,
            """
            INSERT INTO rate_card (tenant_id, id, version, effective_from, currency, base_fee_micros, included_logins, minimum_micros,
                tier_mode, tiers, created_at)
            VALUES (\(tenant), \(card), 1, '2026-01-01', 'USD', 0, 0, 0, 'graduated', '[{"unit_price_micros": 5000}]', now())
            """,
        ])
        // Paused, so that the server does not call it.
        _ = try await installation.ownerPool.run(
            """
            INSERT INTO usage_sink (tenant_id, id, format, url, status, delivered_at, failed_at, failure_status, created_at, updated_at)
            VALUES (\(UUID.platform), \(UUID()), 'cloudevents', 'https://openmeter.example.com/api/v1/events', 'paused', now(), now(), 503,
                now(), now())
            """)
        let statement = UUID()
        _ = try await installation.ownerPool.run([
            """
            INSERT INTO statement (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
            VALUES (\(tenant), '2026-01-01', \(statement), 'acme', 'Acme', now(), now())
            """,
            """
            INSERT INTO statement_line (tenant_id, period, position, kind, service_period, first_day, last_day, plan, rate_card_id,
                rate_card_version, description, quantity, unit_price_micros, currency, exact_micros, amount_micros)
            VALUES (\(tenant), '2026-01-01', 1, 'logins', '2026-01-01', '2026-01-01', '2026-01-31', 'enterprise', \(UUID()), 1, 'Logins', 2,
                    5000, 'USD', 10000, 10000),
                (\(tenant), '2026-01-01', 2, 'correction', '2025-12-01', '2025-12-01', '2025-12-31', NULL, \(UUID()), 1, 'Late', 2, NULL, 'JPY',
                    10000, 0)
            """,
            """
            UPDATE statement SET state = 'closed', events = 4, digest = sha256(''), closed_at = now() WHERE id = \(statement)
            """,
        ])
        let plans = try await ids("SELECT id AS thing, id AS whole FROM rate_card WHERE plan = 'free'")
        let (reported, reportedShared) = (UUID(), UUID())
        for (owner, id) in [(tenant, reported), (.platform, reportedShared)] {
            _ = try await installation.ownerPool.run(
                """
                INSERT INTO apple_notification (tenant_id, id, jti, type, client_id, team_ids, apple_sub, event_at, sealed_payload,
                    received_at, waiting_since, state, outcome, attempts, updated_at)
                VALUES (\(owner), \(id), 'jti', 'news', 'com.example.web', '{A1B2C3D4E5}', '000123.0123.0456', now(), '\\x00', now(),
                    now(), 'done', 'unknown_type', 1, now())
                """)
        }
        platform = try await connection(of: .platform).merging(
            [
                "notification": reportedShared, "rateCard": plans["thing"], "member": platformMember, "invitation": platformInvitation,
                "person": person,
            ].compactMapValues { $0 }, uniquingKeysWith: { $1 })
        acme = try await connection(of: tenant).merging(
            [
                "application": secret["whole"], "secret": secret["thing"], "user": session["whole"], "session": session["thing"],
                "api": api, "domain": domain, "sso_domain": ssoDomain, "initialAccessToken": initial, "webhook": webhook,
                "delivery": delivery, "deletion": deletion,
                "notification": reported, "transfer": transfer, "consent": consent,
                "identity": identity["thing"],
                "statement": statement, "endpoint": endpoint, "member": member, "invitation": invitation, "role": role,
                "support": support,
                "rateCard": card,
            ].compactMapValues { $0 }, uniquingKeysWith: { $1 })
    }

    /// Returns an operation's path with a tenant and the IDs of real or missing objects. A stream is short.
    /// - Parameter others: IDs by the names in the path, instead of those of the prepared objects.
    func path(
        _ operation: Specification.Operation, tenant: String = "acme", real: Bool = true, replacing others: [String: String] = [:]
    ) -> String {
        var path = operation.path.replacing("{tenant}", with: tenant)
        for (name, id) in others { path = path.replacing("{\(name)}", with: id) }
        for parameter in operation.parameters where parameter.place == "path" && parameter.name != "tenant" {
            let prefix = parameter.example?.prefix { $0 != "_" } ?? "id"
            let isAcmes = operation.isForTenants || operation.organizationScopes != nil
            let uuid = real ? (isAcmes ? acme : platform)[parameter.name] : nil
            path = path.replacing("{\(parameter.name)}", with: prefix + "_" + Self.digits(uuid))
        }
        return path + (operation.parameters.contains { $0.name == "seconds" } ? "?seconds=1" : "")
    }

    /// Returns the ID of Acme's user, and of the user's session.
    var user: String { "user_" + Self.digits(acme["user"]) }
    var session: String { "session_" + Self.digits(acme["session"]) }
    /// Returns the ID of a key of Acme that no test uses for calls.
    var apiKey: String { "apikey_" + Self.digits(acme["apiKey"]) }

    /// Returns the ID of Acme's webhook.
    var webhook: String { "webhook_" + Self.digits(acme["webhook"]) }

    /// Returns the ID of Acme's webhook in WorkOS's format.
    var endpoint: String { "webhook_" + Self.digits(acme["endpoint"]) }

    /// The names in paths without a real object. There should be none.
    func missing(_ operation: Specification.Operation) -> [String] {
        operation.things.filter { (operation.isForTenants ? acme : platform)[$0] == nil }
    }

    /// In the format of any ID, without its prefix.
    private static func digits(_ uuid: UUID?) -> String {
        uuid.map { String(ID<Tenant>($0).description.dropFirst("tenant_".count)) } ?? String(repeating: "0", count: 26)
    }
}
