import Access
import Foundation
import Postgres
import Server
import Tenancy

/// A team at the Apple simulator with a Services ID and a key, which are not yet known to Espalier.
package struct AppleTeam: Sendable {
    package let simulator: TestSimulator
    package let team: String
    package let servicesID: String
    package let keyID: String
    package let pem: String

    package static func make(_ platform: TestPlatform) async throws -> AppleTeam {
        let (team, servicesID) = (randomID(), "com.example.\(randomID().lowercased())")
        try await platform.simulator.send(.PUT, "/simulator/teams/\(team)", [:])
        try await platform.simulator.send(
            .PUT, "/simulator/services-ids/\(servicesID)",
            ["team": team, "display_name": "New", "return_urls": ["\(TestPlatform.publicURL)/t/acme/auth/apple/callback"]])
        let key = try await platform.simulator.makeKey(of: team)
        return AppleTeam(simulator: platform.simulator, team: team, servicesID: servicesID, keyID: key.id, pem: key.pem)
    }

    /// The body of `createConnection`.
    package func body(_ changes: [String: any Sendable] = [:]) -> [String: any Sendable] {
        let body: [String: any Sendable] = ["team_id": team, "services_id": servicesID, "key_id": keyID, "private_key": pem]
        return body.merging(changes) { $1 }
    }

    /// Ten characters, as in Team IDs and Key IDs.
    private static func randomID() -> String {
        String((0..<10).map { _ in "ABCDEFGHJKLMNPQRSTUVWXYZ23456789".randomElement()! })
    }
}

extension TestSimulator {
    /// Creates a key, as in Apple's portal.
    package func makeKey(of team: String) async throws -> (id: String, pem: String) {
        let answer =
            try JSONSerialization.jsonObject(with: try await send(.POST, "/simulator/keys", ["team": team])) as? [String: any Sendable]
        guard let id = answer?["id"] as? String, let pem = answer?["private_key"] as? String else {
            throw Refused(description: "no key was made")
        }
        return (id, pem)
    }

    package func revokeKey(_ id: String) async throws {
        try await send(.DELETE, "/simulator/keys/\(id)", [:])
    }
}

extension TestBrowser.Answer {
    package var version: String { header("ETag") ?? "none" }
    package var resourceID: String { json["id"] as? String ?? "" }
    package var problem: String? { json["code"] as? String }
    package var reason: String { json["detail"] as? String ?? "" }
    /// The elements of a list.
    package var elements: [[String: any Sendable]] { json["data"] as? [[String: any Sendable]] ?? [] }
    /// The ID of a connection.
    package var appleKeys: [[String: any Sendable]] { json["apple_keys"] as? [[String: any Sendable]] ?? [] }
    /// Key IDs and their states, such as `next K1, current K2`.
    package var keyStates: Set<String> { Set(appleKeys.map { "\($0["state"] ?? "") \($0["key_id"] ?? "")" }) }
    /// The fields of an error, in their order.
    package var refusedFields: [String] {
        (json["errors"] as? [[String: String]] ?? []).compactMap { $0["field"] }
    }
    /// The details of an error by field.
    package var refusalsByField: [String: String] {
        let errors = json["errors"] as? [[String: String]] ?? []
        return Dictionary(errors.map { ($0["field"] ?? "", $0["detail"] ?? "") }, uniquingKeysWith: { $1 })
    }
    private var check: [String: any Sendable] { json["check"] as? [String: any Sendable] ?? json }
    /// The steps of a check, or of a connection's last check.
    package var checkOutcome: String? { check["outcome"] as? String }
    /// The outcome of each step.
    package var stepOutcomes: [String: String] { step("outcome") }
    package var stepDetails: [String: String] { step("detail") }

    private func step(_ member: String) -> [String: String] {
        let steps = check["steps"] as? [[String: String]] ?? []
        return Dictionary(steps.map { ($0["step"] ?? "", $0[member] ?? "") }, uniquingKeysWith: { $1 })
    }
}

extension TestPlatform {
    /// The path of Acme's own connection, below `/v1`.
    package var acmeConnection: String {
        get async throws { "/tenants/acme/connections/\(try await call("GET", "/tenants/acme/connections").elements.first?["id"] ?? "")" }
    }

    /// Calls the doctor, regardless of its last run.
    package func check(_ connection: String) async throws -> TestBrowser.Answer {
        _ = try await ownerPool.run("UPDATE connection SET check_claimed_at = NULL")
        return try await call("POST", "\(connection)/check")
    }

    /// Calls for a change of the current version.
    package func change(
        _ method: String, _ path: String, of connection: String, _ body: [String: any Sendable]? = nil
    ) async throws -> TestBrowser.Answer {
        try await call(method, path, body, headers: [("If-Match", try await call("GET", connection).version)])
    }

    /// Returns the audit events of an action: the actor, and the state before and after.
    package func auditTrail(of action: String) async throws -> [(actor: String, subject: String, text: String)] {
        try await ownerPool.run(
            """
            SELECT actor, subject, COALESCE(before::text, '') || COALESCE(after::text, '') AS text FROM audit_event
            WHERE action = \(action) ORDER BY tenant_id, sequence
            """
        ).map { (try $0.get("actor"), try $0.get("subject"), try $0.get("text")) }
    }

    /// Registers a webhook of Acme for failing connections. Nothing is sent to its URL.
    package func subscribeAcme() async throws {
        let (tenant, now) = (ID<Tenant>(acme.id), Date())
        _ = try await ownerPool.run(
            """
            INSERT INTO webhook_endpoint (tenant_id, id, url, events, status, created_at, updated_at)
            VALUES (\(tenant), \(UUID()), 'https://hooks.invalid', '{connection.failing}', 'enabled', \(now), \(now))
            """)
    }

    /// Returns the data of the webhook events so far.
    package var reportedFailures: [String] {
        get async throws {
            try await ownerPool.run("SELECT data::text AS data FROM webhook_event WHERE type = 'connection.failing' ORDER BY id")
                .map { try $0.get("data") }
        }
    }
}
