import Access
import Encoding
import Foundation
import Postgres
import Sealing
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Activate connection")
struct ActivateConnectionTests {
    private static func audited(_ platform: TestPlatform, _ action: String) async throws -> Int {
        try await platform.ownerPool.run("SELECT count(*) AS n FROM audit_event WHERE action = \(action)")
            .first { try $0.get("n", as: Int.self) } ?? 0
    }

    private static func user(_ platform: TestPlatform, _ person: String) async throws -> String? {
        let tokens = try await TestBrowser(platform).tokens(.init(platform.acme), person: person)
        let access = (tokens["access_token"] as? String ?? "").split(separator: ".")
        guard access.count == 3, let bytes = [UInt8](base64URL: String(access[1])) else { return nil }
        return (try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])?["sub"] as? String
    }

    @Test("without users, the connection is in use at once, in every process and in the reply")
    func withoutUsers() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            let shared = try await platform.call("POST", "/tenants/acme/shared-connection/activate", key: key)
            #expect(shared.status == 200)
            #expect(shared.json["issuer"] as? String == platform.acme.issuer)
            #expect(shared.json["relink_until"] == nil)
            try await platform.serves(platform.shared, platform.acme)
            let connection = try await platform.ownConnection()
            let own = try await platform.call("POST", "/tenants/acme/connections/\(connection)/activate", key: key, [:])
            #expect(own.status == 200)
            #expect(own.json["id"] as? String == connection)
            #expect(own.json["serving"] as? Bool == true)
            #expect(own.json["team_id"] as? String == platform.own.team)
            #expect(own.header("ETag") != nil)
            try await platform.serves(platform.own, platform.acme)
            #expect(try await Self.audited(platform, "activateConnection") == 1)
            #expect(try await Self.audited(platform, "activateSharedConnection") == 1)
            // The second activation changes nothing.
            let again = try await platform.call("POST", "/tenants/acme/connections/\(connection)/activate", key: key)
            #expect(again.json["updated_at"] as? String == own.json["updated_at"] as? String)
            #expect(again.header("ETag") == own.header("ETag"))
            #expect(try await Self.audited(platform, "activateConnection") == 1)
        }
    }

    @Test("users of another team require a choice, new_users creates new users, and a move back restores the old ones")
    func newUsers() async throws {
        try await TestPlatform.run { platform in
            let grace = try await Self.user(platform, "Grace Hopper")
            let undecided = try await platform.call("POST", "/tenants/acme/shared-connection/activate")
            #expect(undecided.status == 409)
            #expect(undecided.json["code"] as? String == "conflict")
            for word in ["new_users", "relink", "existing_users"] {
                #expect((undecided.json["detail"] as? String)?.contains(word) == true)
            }
            try await platform.serves(platform.own, platform.acme)
            try await platform.moveToShared(["existing_users": "new_users"])
            let other = try await Self.user(platform, "Grace Hopper")
            #expect(other != grace)
            let path = "/tenants/acme/connections/\(try await platform.ownConnection())/activate"
            #expect(try await platform.call("POST", path).status == 409)
            try await platform.moveToOwn(["existing_users": "new_users"])
            #expect(try await Self.user(platform, "Grace Hopper") == grace)
        }
    }

    @Test("a relink is open for the requested time, and another choice or move closes it")
    func window() async throws {
        try await TestPlatform.run { platform in
            _ = try await Self.user(platform, "Grace Hopper")
            func until(_ answer: TestBrowser.Answer) throws -> Double? {
                try (answer.json["relink_until"] as? String).map { try Date($0, strategy: .iso8601).timeIntervalSinceNow / 86400 }
            }
            func windows() async throws -> Int {
                try await platform.ownerPool.run(
                    """
                    SELECT (SELECT count(*) FROM connection WHERE relink_until IS NOT NULL)
                        + (SELECT count(*) FROM tenant WHERE shared_relink_until IS NOT NULL) AS n
                    """
                ).first { try $0.get("n", as: Int.self) } ?? 0
            }
            let shared = try #require(try until(try await platform.moveToShared(["existing_users": "relink", "relink_days": 90])))
            #expect((89.9...90).contains(shared))
            #expect(try await windows() == 1)
            // The user of the tenant's own team, and one of the shared team.
            _ = try await Self.user(platform, "Alan Turing")
            let own = try #require(try until(try await platform.moveToOwn(["existing_users": "relink"])))
            #expect((29.9...30).contains(own))
            #expect(try await windows() == 1)
            #expect(try until(try await platform.moveToOwn()) != nil)
            #expect(try until(try await platform.moveToOwn(["existing_users": "relink", "relink_days": 1])).map { $0 <= 1 } == true)
            #expect(try until(try await platform.moveToOwn(["existing_users": "new_users"])) == nil)
            #expect(try await windows() == 0)
            try await platform.moveToOwn(["existing_users": "relink"])
            try await platform.moveToShared(["existing_users": "new_users"])
            #expect(try await windows() == 0)
        }
    }

    @Test("a connection of the same team needs no choice, and all users stay the same")
    func sameTeam() async throws {
        try await TestPlatform.run { platform in
            let grace = try await Self.user(platform, "Grace Hopper")
            let tenant = try #require(ID<Tenant>(platform.acme.id))
            let now = Date()
            let (connection, keyID) = (ID<Connection>(at: now), ID<AppleKey>(at: now))
            let key = try #require(
                try await platform.ownerPool.run("SELECT id, tenant_id, key_id, sealed_pem FROM apple_key WHERE tenant_id = \(tenant)")
                    .first { row in
                        let id: ID<AppleKey> = try row.get("id")
                        let sealed = Sealed(bytes: try row.get("sealed_pem"))
                        return try platform.settings.keyring.open(sealed, in: AppleKey.context(owner: tenant.uuid, id: id))
                    })
            let sealed = platform.settings.keyring.seal(key, in: AppleKey.context(owner: tenant.uuid, id: keyID))
            _ = try await platform.ownerPool.run([
                Connection.insert(
                    connection, owner: tenant.uuid, teamID: platform.own.team, servicesID: platform.own.servicesID, bundleIDs: [], at: now),
                AppleKey.insert(
                    keyID, owner: tenant.uuid, connection: connection, keyID: platform.own.keyID, sealedPEM: sealed, state: .current,
                    at: now),
            ])
            let path = "/tenants/acme/connections/\(connection)/activate"
            let refused = try await platform.call("POST", path, ["existing_users": "relink"])
            #expect(refused.status == 409)
            let answer = try await platform.call("POST", path)
            #expect(answer.status == 200)
            // A login attempt from before the change must start again.
            let after = try await eventually("a sign-in goes through") { try? await Self.user(platform, "Grace Hopper") }
            #expect(after == grace)
        }
    }

    @Test("activation waits for a concurrent change of the connection, without a deadlock")
    func changedMeanwhile() async throws {
        try await TestPlatform.run { platform in
            let own = "/tenants/acme/connections/\(try await platform.ownConnection())/activate"
            for path in ["/tenants/acme/shared-connection/activate", own] {
                let activating = try await platform.ownerPool.transaction { db in
                    // Locks in the order of every change of a connection: the tenant for its plan, then the connection.
                    _ = try await db.run("SELECT FROM tenant FOR NO KEY UPDATE")
                    let activating = Task { try await platform.call("POST", path).status }
                    try await platform.waitForLock("it waits for the change")
                    _ = try await db.run("SELECT FROM connection FOR UPDATE")
                    return activating
                }
                #expect(try await activating.value == 200, "\(path)")
            }
        }
    }

    @Test("a missing plan, a key that Apple has not accepted, another version and an empty body are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            try await platform.moveToShared()
            let path = "/tenants/acme/connections/\(try await platform.ownConnection())/activate"
            func isRefused(_ status: Int, _ code: String, _ body: [String: any Sendable]? = nil, key: String? = nil, tag: String? = nil)
                async throws -> Bool
            {
                let answer = try await platform.call("POST", path, key: key, body, headers: tag.map { [("If-Match", $0)] } ?? [])
                return answer.status == status && answer.json["code"] as? String == code
            }
            #expect(try await isRefused(404, "not_found", key: platform.globex.api_keys[0].secret))
            #expect(try await isRefused(403, "insufficient_scope", key: platform.acme.api_keys[1].secret))
            for body: [String: any Sendable] in [
                ["existing_users": "some"], ["existing_users": 1], ["relink_days": 3], ["existing_users": "new_users", "relink_days": 3],
                ["existing_users": "relink", "relink_days": 0], ["existing_users": "relink", "relink_days": 91],
                ["existing_users": "relink", "relink_days": "3"], ["force": true],
            ] {
                #expect(try await isRefused(400, "invalid", body), "\(body)")
            }
            #expect(try await isRefused(409, "conflict", ["existing_users": "relink"]))
            #expect(try await isRefused(412, "precondition_failed", tag: "\"x\""))
            for id in ["connection_x", ID<Connection>(at: Date()).description] {
                #expect(try await platform.call("POST", "/tenants/acme/connections/\(id)/activate").status == 404)
            }
            let foreign = try #require(
                try await platform.ownerPool.run("SELECT id FROM connection WHERE team_id = \(platform.shared.team)")
                    .first { try $0.get("id", as: ID<Connection>.self) })
            #expect(try await platform.call("POST", "/tenants/acme/connections/\(foreign)/activate").status == 404)

            _ = try await platform.ownerPool.run("UPDATE apple_key SET state = 'next' WHERE key_id = \(platform.own.keyID)")
            #expect(try await isRefused(409, "conflict"))
            _ = try await platform.ownerPool.run("UPDATE apple_key SET state = 'current' WHERE key_id = \(platform.own.keyID)")
            _ = try await platform.ownerPool.run("UPDATE tenant SET plan = 'scale' WHERE slug = 'acme'")
            #expect(try await isRefused(403, "plan_required"))
            let reported = try await platform.call("POST", path)
            #expect((reported.json["detail"] as? String)?.contains("enterprise") == true)
            #expect((reported.json["detail"] as? String)?.contains("scale") == true)
            #expect(try await Self.audited(platform, "activateConnection") == 0)
            try await platform.serves(platform.shared, platform.acme)
        }
    }

    @Test("concurrent moves in both directions end at one of the two connections, without a deadlock")
    func racing() async throws {
        try await TestPlatform.run { platform in
            let own = "/tenants/acme/connections/\(try await platform.ownConnection())/activate"
            try await withThrowingTaskGroup(of: Int.self) { tasks in
                for number in 0..<12 {
                    tasks.addTask {
                        try await platform.call("POST", number % 2 == 0 ? own : "/tenants/acme/shared-connection/activate").status
                    }
                }
                for try await status in tasks { #expect(status == 200) }
            }
            let moves = try await Self.audited(platform, "activateConnection") - Self.audited(platform, "activateSharedConnection")
            #expect((-1...0).contains(moves))
        }
    }

    @Test("a login attempt in progress through the other connection must start again")
    func onTheWay() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            try await platform.moveToShared()
            let answer = try await browser.callback(form)
            #expect(answer["error"] == "temporarily_unavailable")
            #expect(answer["code"] == nil)
        }
    }
}
