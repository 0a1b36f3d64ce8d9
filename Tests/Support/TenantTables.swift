package import Access
import Foundation
package import Postgres

/// The tables with data of tenants.
package enum TenantTables {
    /// Tables of tenant data, read from the catalog, so that a new table is tested automatically.
    package static let all: SQL = """
        SELECT c.relname::text AS name, c.relrowsecurity AS secured,
            (SELECT a.attname::text FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
             WHERE i.indrelid = c.oid AND i.indisprimary) AS first_of_key,
            EXISTS (SELECT FROM pg_policies p WHERE p.tablename = c.relname AND p.qual LIKE '%espalier.tenant%') AS compared,
            pg_get_userbyid(c.relowner)::text AS owner
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'schema_migration' ORDER BY 1
        """

    /// Inserts a row of the tenant into each table that a login does not write to.
    package static func fill(_ tenant: ID<Tenant>, _ owner: DatabasePool) async throws {
        let (endpoint, event, deletion, transfer, now) = (UUID(), UUID(), UUID(), UUID(), Date())
        // The account of a member belongs to the platform.
        let (person, role, text, address) = (UUID(), UUID(), UUID().uuidString, "\(UUID())@example.com")
        _ = try await owner.run([
            """
            INSERT INTO team_transfer (tenant_id, id, from_team_id, to_team_id, services_id, created_at, updated_at)
            VALUES (\(tenant), \(transfer), 'A1B2C3D4E5', 'Z9Y8X7W6V5', 'com.example.web', \(now), \(now))
            """,
            """
            INSERT INTO team_transfer_user (tenant_id, transfer_id, user_id, state, updated_at)
            SELECT \(tenant), \(transfer), id, 'collected', \(now) FROM tenant_user WHERE tenant_id = \(tenant) LIMIT 1
            """,
            """
            INSERT INTO authkit_user (tenant_id, user_id, metadata, updated_at)
            SELECT \(tenant), id, '{}', \(now) FROM tenant_user WHERE tenant_id = \(tenant) LIMIT 1
            """,
            // A login is in only one of the two tables.
            """
            INSERT INTO usage_event (occurred_at, billing_period, tenant_id, id, application_id, user_id, kind, connection)
            VALUES (\(now), date_trunc('month', now())::date, \(tenant), \(UUID()), \(UUID()), \(UUID()), 'login', 'own')
            """,
            "INSERT INTO usage_day VALUES (\(tenant), '2000-01-01', '2000-01-01', \(UUID()), 'own', 'login', 1)",
            "INSERT INTO usage_users VALUES (\(tenant), 'day', '2000-01-01', \(UUID()), 'own', 1)",
            "INSERT INTO usage_month_user VALUES (\(tenant), '2000-01-01', \(UUID()), \(UUID()), 'own', 1)",
            """
            WITH made AS (
                INSERT INTO api (tenant_id, id, name, audience, scopes, access_token_seconds, created_at, updated_at)
                VALUES (\(tenant), \(UUID()), 'API', 'urn:api', '{read}', 3600, \(now), \(now)) RETURNING id),
            listed AS (SELECT id FROM application WHERE tenant_id = \(tenant) LIMIT 1)
            INSERT INTO api_application (tenant_id, api_id, application_id) SELECT \(tenant), made.id, listed.id FROM made, listed
            """,
            """
            INSERT INTO domain (tenant_id, id, host, token, state, check_due_at, expires_at, created_at, updated_at)
            VALUES (\(tenant), \(UUID()), 'login.example.com', 'mB0Yw9pQ1nT5vXc7ZkR3aA', 'pending', \(now), \(now), \(now), \(now))
            """,
            """
            INSERT INTO consent (tenant_id, user_id, application_id, id, scopes, api_ids, given_at, created_at, updated_at)
            SELECT \(tenant), u.id, a.id, \(UUID()), '{openid}', '{}', \(now), \(now), \(now)
            FROM (SELECT id FROM tenant_user WHERE tenant_id = \(tenant) LIMIT 1) AS u,
                (SELECT id FROM application WHERE tenant_id = \(tenant) LIMIT 1) AS a
            """,
            """
            INSERT INTO browser_session (tenant_id, id, user_id, generation, rotated_at, authenticated_at, signed_in_at, created_at, last_used_at,
                expires_at)
            SELECT \(tenant), \(UUID()), id, 0, \(now), \(now), \(now), \(now), \(now), \(now) FROM tenant_user
            WHERE tenant_id = \(tenant) LIMIT 1
            """,
            """
            INSERT INTO device_authorization (tenant_id, id, application_id, user_code_digest, scope, state, interval_seconds, created_at,
                expires_at)
            SELECT \(tenant), \(UUID()), id, '\\x00', 'openid', 'pending', 5, \(now), \(now) FROM application
            WHERE tenant_id = \(tenant) LIMIT 1
            """,
            """
            WITH made AS (
                INSERT INTO branding (tenant_id, color, created_at, updated_at) VALUES (\(tenant), '#0a7d5c', \(now), \(now))
                RETURNING tenant_id)
            INSERT INTO logo (tenant_id, media_type, digest, data) SELECT tenant_id, 'image/png', sha256('\\x00'), '\\x00' FROM made
            """,
            """
            WITH made AS (
                INSERT INTO initial_access_token (tenant_id, id, name, digest, bound_digest, last_four, kinds, requires_pkce, max_registrations,
                    registrations, expires_at, created_at, updated_at)
                VALUES (\(tenant), \(UUID()), 'Partner', '\\x00', '\\x00', 'abcd', '{web}', true, 1, 1, \(now), \(now), \(now)) RETURNING id),
            registered AS (SELECT id FROM application WHERE tenant_id = \(tenant) LIMIT 1)
            INSERT INTO client_registration (tenant_id, application_id, initial_access_token_id, digest, bound_digest, metadata, created_at,
                updated_at)
            SELECT \(tenant), registered.id, made.id, '\\x00', '\\x00', '{}', \(now), \(now) FROM made, registered
            """,
            "INSERT INTO budget (tenant_id, logins, created_at, updated_at) VALUES (\(tenant), 1, \(now), \(now))",
            "INSERT INTO rate_card VALUES (\(tenant), \(UUID()), NULL, 1, '2026-11-01', false, 'USD', 0, 0, 0, 'graduated', '[{\"unit_price_micros\": 1}]', \(now))",
            """
            INSERT INTO statement (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
            VALUES (\(tenant), '2000-01-01', \(UUID()), 'globex', 'Globex', \(now), \(now))
            """,
            "INSERT INTO statement_term VALUES (\(tenant), '2000-01-01', '2000-01-01', '2000-01-31', \(tenant), \(UUID()))",
            """
            INSERT INTO statement_line VALUES (\(tenant), '2000-01-01', 1, 'logins', '2000-01-01', '2000-01-01', '2000-01-31', 'free',
                \(UUID()), 1, 'x', 1, 1, 'USD', 1, 1)
            """,
            """
            INSERT INTO usage_sink (tenant_id, id, format, url, status, created_at, updated_at)
            VALUES (\(tenant), \(UUID()), 'cloudevents', 'https://globex.test', 'paused', \(now), \(now))
            """,
            "INSERT INTO usage_sink_batch VALUES (\(tenant), \(UUID()), \(UUID()), 1, \(now))",
            "INSERT INTO usage_sink_event VALUES (\(tenant), \(UUID()), \(UUID()), \(now), '2026-11-01', \(UUID()), \(UUID()), 'login', 'own')",
            "INSERT INTO usage_sink_customer VALUES (\(tenant), 'cus_globex', \(now), \(now))",
            """
            INSERT INTO usage_meter_event (tenant_id, id, sink_id, starts_at, sequence, logins, created_at)
            VALUES (\(tenant), \(UUID()), \(UUID()), \(now), 0, 1, \(now))
            """,
            """
            INSERT INTO usage_sink_difference (tenant_id, id, customer_id, starts_at, tenants, sent, counted, found_at, checked_at, check_at)
            VALUES (\(tenant), \(UUID()), 'cus_globex', \(now), '{}', 1, 0, \(now), \(now), \(now))
            """,
            """
            INSERT INTO mail (tenant_id, id, sealed_message, deliver_before, created_at)
            VALUES (\(tenant), \(UUID()), '\\x00', \(now), \(now))
            """,
            "INSERT INTO mail_status (tenant_id, sent_at) VALUES (\(tenant), \(now))",
            """
            INSERT INTO person (id, name, email, sealed_password, password_changed_at, created_at, updated_at)
            VALUES (\(person), 'Ada', \(address), '\\x00', \(now), \(now), \(now))
            """,
            """
            INSERT INTO person_session (id, person_id, kind, digest, bound_digest, methods, authenticated_at, created_at, last_used_at, expires_at)
            VALUES (\(UUID()), \(person), 'browser', sha256(convert_to(\(text), 'UTF8')), '\\x00', '{pwd}', \(now), \(now), \(now), \(now))
            """,
            """
            INSERT INTO person_device (id, user_code_digest, network, state, interval_seconds, created_at, expires_at)
            VALUES (\(UUID()), sha256(convert_to(\(text), 'UTF8')), '192.0.2.1', 'pending', 5, \(now), \(now))
            """,
            "INSERT INTO webhook_listener (tenant_id, id, actor, created_at, expires_at) VALUES (\(tenant), \(UUID()), 'system', \(now), \(now))",
            "INSERT INTO person_totp (id, person_id, sealed_secret, created_at) VALUES (\(UUID()), \(person), '\\x00', \(now))",
            """
            INSERT INTO passkey (id, person_id, credential_id, public_key, aaguid, sign_count, is_backup_eligible, is_backed_up, transports,
                name, created_at)
            VALUES (\(UUID()), \(person), convert_to(\(text), 'UTF8'), sha256(''), substring(sha256('') FROM 1 FOR 16), 0, false, false, '{}',
                'Key', \(now))
            """,
            """
            INSERT INTO sso_connection (tenant_id, id, issuer, client_id, sealed_client_secret, created_at, updated_at)
            VALUES (\(tenant), \(UUID()), 'https://login.example.com', 'espalier', '\\x00', \(now), \(now))
            """,
            """
            INSERT INTO sso_domain (tenant_id, id, domain, token, state, check_due_at, expires_at, created_at, updated_at)
            VALUES (\(tenant), \(UUID()), 'example.com', 'mB0Yw9pQ1nT5vXc7ZkR3aA', 'pending', \(now), \(now), \(now), \(now))
            """,
            """
            INSERT INTO person_identity (id, person_id, issuer_tenant_id, issuer, subject, created_at)
            VALUES (\(UUID()), \(person), \(tenant), 'https://login.example.com', \(text), \(now))
            """,
            "INSERT INTO recovery_code (id, person_id, digest, created_at) VALUES (\(UUID()), \(person), '\\x00', \(now))",
            """
            INSERT INTO custom_role (tenant_id, id, name, scopes, created_at, updated_at)
            VALUES (\(tenant), \(role), 'Support desk', '{users:read}', \(now), \(now))
            """,
            """
            INSERT INTO membership (tenant_id, id, person_id, role, role_id, created_at, updated_at)
            VALUES (\(tenant), \(UUID()), \(person), 'custom', \(role), \(now), \(now))
            """,
            """
            INSERT INTO invitation (tenant_id, id, email, role, role_id, digest, bound_digest, invited_by, expires_at, created_at, updated_at)
            VALUES (\(tenant), \(UUID()), 'grace@example.com', 'custom', \(role), sha256(convert_to(\(text), 'UTF8')), '\\x00', 'system', \(now),
                \(now), \(now))
            """,
            """
            INSERT INTO support_access (tenant_id, id, person_id, operator_name, reason, started_at, ends_at)
            VALUES (\(tenant), \(UUID()), \(person), 'Katherine', 'Ticket 4711', \(now), \(now.addingTimeInterval(3600)))
            """,
            "INSERT INTO idempotency_key VALUES (\(tenant), \(UUID()), '\\x00', '\\x00', \(now), \(now))",
            "INSERT INTO outbox VALUES (\(tenant), \(UUID()), 'x', \(UUID()), 0, \(now), \(now.addingTimeInterval(86400)))",
            """
            INSERT INTO webhook_endpoint (tenant_id, id, url, events, status, created_at, updated_at)
            VALUES (\(tenant), \(endpoint), 'https://globex.test', '{user.created}', 'disabled', \(now), \(now))
            """,
            "INSERT INTO single_use VALUES (\(tenant), '\\x00', \(now))",
            "INSERT INTO revocation VALUES (\(tenant), \(UUID()), \(now), \(UUID()), NULL, NULL, \(now))",
            "INSERT INTO backchannel_logout VALUES (\(tenant), \(UUID()), \(UUID()), \(UUID()), \(UUID()), \(now))",
            "INSERT INTO user_deletion VALUES (\(tenant), \(deletion), \(UUID()), 'api', 'x', \(now), NULL, \(now))",
            """
            INSERT INTO apple_revocation (tenant_id, id, deletion_id, team_id, client_id, sealed_grant, status)
            VALUES (\(tenant), \(UUID()), \(deletion), 'A1B2C3D4E5', 'com.example', '\\x00', 'pending')
            """,
            """
            INSERT INTO apple_notification (tenant_id, id, jti, type, client_id, team_ids, event_at, sealed_payload, received_at,
                waiting_since, state, updated_at)
            VALUES (\(tenant), \(UUID()), 'x', 'x', 'x', '{x}', \(now), '\\x00', \(now), \(now), 'pending', \(now))
            """,
            "INSERT INTO webhook_secret VALUES (\(tenant), \(UUID()), \(endpoint), '\\x00', \(now))",
            "INSERT INTO webhook_event VALUES (\(tenant), \(event), 'user.created', \(now), '{}')",
            """
            INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, state, created_at, updated_at)
            VALUES (\(tenant), \(UUID()), \(endpoint), \(event), 'succeeded', \(now), \(now))
            """,
        ])
    }
}
