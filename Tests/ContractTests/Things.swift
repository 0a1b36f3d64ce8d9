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
        let (webhook, event, delivery) = (UUID(), UUID(), UUID())
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
        ])
        platform = try await connection(of: .platform)
        acme = try await connection(of: tenant).merging(
            [
                "application": secret["whole"], "secret": secret["thing"], "user": session["whole"], "session": session["thing"],
                "webhook": webhook, "delivery": delivery,
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
