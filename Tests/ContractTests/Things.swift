import Foundation
import Postgres
import Server
import Tenancy
import TestSupport

/// One thing of each kind that an operation's path can name: Acme's, and the platform's own.
struct Things: Sendable {
    private let acme, platform: [String: UUID]

    init(_ installation: TestPlatform) async throws {
        // A user with a session, and keys that no test calls with.
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
        // Keys that are old enough to be rotated.
        _ = try await installation.ownerPool.run("UPDATE signing_key SET created_at = created_at - interval '1 hour'")
        let (webhook, event, delivery, deletion, transfer) = (UUID(), UUID(), UUID(), UUID(), UUID())
        _ = try await installation.ownerPool.run([
            """
            INSERT INTO webhook_endpoint (tenant_id, id, url, events, status, created_at, updated_at)
            VALUES (\(tenant), \(webhook), 'https://hooks.example.com/', '{user.created}', 'disabled', now(), now())
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
            """
            INSERT INTO team_transfer (tenant_id, id, from_team_id, to_team_id, services_id, created_at, updated_at)
            VALUES (\(tenant), \(transfer), \(installation.own.team), 'Z9Y8X7W6V5', \(installation.own.servicesID), now(), now())
            """,
        ])
        let (told, toldShared) = (UUID(), UUID())
        for (owner, id) in [(tenant, told), (.platform, toldShared)] {
            _ = try await installation.ownerPool.run(
                """
                INSERT INTO apple_notification (tenant_id, id, jti, type, client_id, team_ids, apple_sub, event_at, sealed_payload,
                    received_at, waiting_since, state, outcome, attempts, updated_at)
                VALUES (\(owner), \(id), 'jti', 'news', 'com.example.web', '{A1B2C3D4E5}', '000123.0123.0456', now(), '\\x00', now(),
                    now(), 'done', 'unknown_type', 1, now())
                """)
        }
        platform = try await connection(of: .platform).merging(["notification": toldShared], uniquingKeysWith: { $1 })
        acme = try await connection(of: tenant).merging(
            [
                "application": secret["whole"], "secret": secret["thing"], "user": session["whole"], "session": session["thing"],
                "webhook": webhook, "delivery": delivery, "deletion": deletion, "notification": told, "transfer": transfer,
            ].compactMapValues { $0 }, uniquingKeysWith: { $1 })
    }

    /// An operation's path with a tenant and the ids of real things, or of nothing.
    func path(_ operation: Specification.Operation, tenant: String = "acme", real: Bool = true) -> String {
        var path = operation.path.replacing("{tenant}", with: tenant)
        for parameter in operation.parameters where parameter.place == "path" && parameter.name != "tenant" {
            let prefix = parameter.example?.prefix { $0 != "_" } ?? "id"
            let uuid = real ? (operation.isForTenants ? acme : platform)[parameter.name] : nil
            path = path.replacing("{\(parameter.name)}", with: prefix + "_" + Self.digits(uuid))
        }
        return path
    }

    /// The names in paths that stand for no real thing: there should be none.
    func missing(_ operation: Specification.Operation) -> [String] {
        operation.things.filter { (operation.isForTenants ? acme : platform)[$0] == nil }
    }

    /// As any id is written, without its prefix.
    private static func digits(_ uuid: UUID?) -> String {
        uuid.map { String(ID<Tenant>($0).description.dropFirst("tenant_".count)) } ?? String(repeating: "0", count: 26)
    }
}
