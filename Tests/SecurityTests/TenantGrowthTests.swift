import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

/// A tenant that fills the disk with its own, valid API keys.
@Suite("Growth of a tenant's data")
struct TenantGrowthTests {
    private static func trail(_ platform: TestPlatform) async throws -> Int {
        try await platform.ownerPool.run("SELECT count(*) AS n FROM audit_event")[0].get("n")
    }

    private static func acme(_ platform: TestPlatform) async throws -> UUID {
        try await platform.ownerPool.run("SELECT id FROM tenant WHERE slug = 'acme'")[0].get("id")
    }

    @Test("a change without an effect leaves no audit event")
    func unchanged() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            let webhook: [String: any Sendable] = [
                "url": "https://hooks.test/x", "events": ["user.created", "user.deleted"], "description": "d",
            ]
            let made = try await platform.call("POST", "/tenants/acme/webhooks", key: key, webhook)
            let hook = try #require(made.json["id"] as? String)
            let application = platform.acme.applications[0].client_id
            let budget: [String: any Sendable] = ["logins": 1000, "hard": false]
            #expect(try await platform.call("PUT", "/tenants/acme/budget", key: key, budget).status == 200)
            let name = try #require(try await platform.call("GET", "/tenants/acme", key: key).json["name"] as? String)
            let before = try await Self.trail(platform)
            let same: [(String, String, [String: any Sendable])] = [
                ("PATCH", "/tenants/acme", ["name": name]), ("PATCH", "/tenants/acme", [:]),
                ("PATCH", "/tenants/acme/webhooks/\(hook)", webhook), ("PATCH", "/tenants/acme/webhooks/\(hook)", ["status": "enabled"]),
                ("PATCH", "/tenants/acme/webhooks/\(hook)", [:]),
                ("PATCH", "/tenants/acme/applications/\(application)", ["name": "Web"]),
                ("PUT", "/tenants/acme/budget", budget),
            ]
            for (method, path, body) in same {
                let answer = try await platform.call(method, path, key: key, body)
                #expect(answer.status == 200, "\(method) \(path): \(answer.body)")
            }
            #expect(try await Self.trail(platform) == before)
            #expect(try await platform.call("PATCH", "/tenants/acme", key: key, ["name": name + "!"]).status == 200)
            #expect(try await Self.trail(platform) == before + 1)
        }
    }

    @Test("a tenant's keys together make a limited number of changes per minute, and large bodies count more")
    func changes() async throws {
        try await TestPlatform.run {
            $0.apiChangesPerMinute = 10
        } _: { platform in
            let keys = platform.acme.api_keys.map(\.secret)
            /// Makes changes until one is rejected. The limit returns one change per 6 s, on machines of any speed.
            /// - Parameter started: The start of the tenant's first change.
            func change(
                _ tenant: String, _ keys: [String], since started: ContinuousClock.Instant = .now
            ) async throws -> (granted: Int, refilled: Int, refused: TestBrowser.Answer) {
                var granted = 0
                let refused = try await eventually("a change is refused") {
                    let answer = try await platform.call(
                        "PATCH", "/tenants/\(tenant)", key: keys[granted % keys.count], ["name": "N \(granted)"])
                    if answer.status == 429 { return answer }
                    // A rejected request counts too. The second key lacks the scope.
                    #expect(answer.status == (granted % keys.count == 0 ? 200 : 403), "\(answer.body)")
                    granted += 1
                    return nil
                }
                return (granted, Int(started.duration(to: .now) / .seconds(6)) + 1, refused)
            }
            let (granted, refilled, refused) = try await change("acme", [keys[0], keys[1]])
            #expect((10...(10 + refilled)).contains(granted))
            #expect(refused.headers["Retry-After"].first.flatMap { Int($0) } ?? 0 > 0)
            #expect((refused.json["detail"] as? String)?.contains("more than 10 changes in a minute") == true)
            #expect(try await platform.call("GET", "/tenants/acme", key: keys[0]).status == 200)
            // No other caller is delayed.
            #expect(try await platform.call("PATCH", "/tenants/acme", ["name": "Operator"]).status == 200)
            let other = platform.globex.api_keys[0].secret
            let uris = (0..<100).map { "https://app.test/\($0)/" + String(repeating: "x", count: 300) }
            let started = ContinuousClock.now
            let large = try await platform.call(
                "PATCH", "/tenants/globex/applications/\(platform.globex.applications[0].client_id)", key: other, ["redirect_uris": uris])
            #expect(large.status == 200, "\(large.body)")
            let rest = try await change("globex", [other], since: started)
            #expect(rest.granted <= 5 + rest.refilled)
        }
    }

    @Test("a short change of a large object does not append all of it to the audit trail")
    func large() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            let path = "/tenants/acme/applications/\(platform.acme.applications[0].client_id)"
            let uris = (0..<100).map { "https://app.test/\($0)/" + String(repeating: "x", count: 300) }
            #expect(try await platform.call("PATCH", path, key: key, ["redirect_uris": uris]).status == 200)
            #expect(try await platform.call("PATCH", path, key: key, ["name": "Short"]).status == 200)
            let trail = try await platform.call("GET", "/tenants/acme/audit-events?action=updateApplication")
            let event = try #require((trail.json["data"] as? [[String: any Sendable]])?.first)
            let (before, after) = (event["before"] as? [String: any Sendable], event["after"] as? [String: any Sendable])
            #expect(before?["name"] as? String == "Web")
            #expect(after?["name"] as? String == "Short")
            #expect(after?["id"] as? String == platform.acme.applications[0].client_id)
            #expect(before?["redirect_uris"] == nil && after?["redirect_uris"] == nil)
        }
    }

    @Test("a tenant has a limited number of idempotency keys at a time; existing keys replay, and no other caller is affected")
    func idempotencyKeys() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            func issue(_ idempotencyKey: String?, key: String?, tenant: String = "acme") async throws -> TestBrowser.Answer {
                try await platform.call(
                    "POST", "/tenants/\(tenant)/api-keys", key: key, ["name": "x", "scopes": ["tenants:read"]],
                    headers: idempotencyKey.map { [("Idempotency-Key", $0)] } ?? [])
            }
            let first = try await issue("first", key: key)
            #expect(first.status == 201, "\(first.body)")
            let acme = try await Self.acme(platform)
            func fill(_ count: Int, at age: String) async throws {
                _ = try await platform.ownerPool.run(
                    SQL(
                        unsafe: """
                            INSERT INTO idempotency_key (tenant_id, api_key_id, digest, body_digest, created_at, locked_until)
                            SELECT '\(acme)', gen_random_uuid(), sha256(n::text::bytea), '\\x00', now() - interval '\(age)', now()
                            FROM generate_series(1, \(count)) AS n
                            """))
            }
            // Keys older than a day do not count.
            try await fill(10_000, at: "25 hours")
            #expect(try await issue("second", key: key).status == 201)
            try await fill(9_998, at: "23 hours")
            let refused = try await issue("third", key: key)
            #expect(refused.status == 429, "\(refused.body)")
            #expect((refused.json["detail"] as? String)?.contains("without the header") == true)
            let seconds = refused.headers["Retry-After"].first.flatMap { Int($0) } ?? 0
            #expect((3000...3600).contains(seconds))
            #expect(try await issue("first", key: key).json["id"] as? String == first.json["id"] as? String)
            #expect(try await issue(nil, key: key).status == 201)
            #expect(try await issue("third", key: nil).status == 201)
            #expect(try await issue("third", key: platform.globex.api_keys[0].secret, tenant: "globex").status == 201)
        }
    }

    @Test("a tenant has a limited number of valid API keys, created in any way")
    func apiKeys() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            let acme = try await Self.acme(platform)
            let body: [String: any Sendable] = ["name": "x", "scopes": ["tenants:read"]]
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO api_key (tenant_id, id, name, digest, last_four, scopes, created_at, revoked_at, expires_at)
                SELECT \(acme), gen_random_uuid(), 'x', sha256(n::text::bytea), 'abcd', '{}', now(),
                    CASE WHEN n > 97 AND n % 2 = 0 THEN now() END, CASE WHEN n > 97 AND n % 2 = 1 THEN now() END
                FROM generate_series(1, 200) AS n
                """)
            let made = try await platform.call("POST", "/tenants/acme/api-keys", key: key, body)
            #expect(made.status == 201, "\(made.body)")
            let id = try #require(made.json["id"] as? String)
            for path in ["/tenants/acme/api-keys", "/tenants/acme/api-keys/\(id)/roll"] {
                let refused = try await platform.call("POST", path, key: key, path.hasSuffix("roll") ? [:] : body)
                #expect(refused.status == 409, "\(path): \(refused.body)")
                #expect((refused.json["detail"] as? String)?.contains("at most 100 valid API keys") == true)
            }
            #expect(try await platform.call("POST", "/tenants/acme/api-keys/\(id)/revoke", key: key).status == 200)
            #expect(try await platform.call("POST", "/tenants/acme/api-keys", key: key, body).status == 201)
        }
    }
}
