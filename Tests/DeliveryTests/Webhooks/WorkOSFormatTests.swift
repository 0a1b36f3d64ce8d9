import Access
import Crypto
import Foundation
import Outbox
import Postgres
import Server
import TestSupport
import Testing

/// Deliveries in WorkOS's form. `script/api/authkit.py` verifies one with WorkOS's library.
@Suite("WorkOS format")
struct WorkOSFormatTests {
    private static let events = ["user.created", "user.deleted", "session.revoked"]

    private func endpoint(_ platform: TestPlatform, _ url: String) async throws -> TestPlatform.MadeWebhook {
        let answer = try await platform.call(
            "POST", "/tenants/acme/webhooks", ["url": url, "events": Self.events, "format": "workos"])
        try #require(answer.status == 201, "\(answer.body)")
        return .init(id: try #require(answer.string("id")), secret: try #require(answer.string("secret")))
    }

    /// As WorkOS's libraries verify it: exactly two parts, and the secret's text as the key.
    private func isSigned(_ request: WebhookReceiver.Received, by secret: String) -> Bool {
        let parts = request.header("WorkOS-Signature").components(separatedBy: ", ")
        guard parts.count == 2, parts[0].hasPrefix("t="), parts[1].hasPrefix("v1="), let time = Int(parts[0].dropFirst(2)),
            abs(Double(time) / 1000 - Date().timeIntervalSince1970) < 180
        else { return false }
        let message = Data("\(time).".utf8) + Data(request.body)
        let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: Data(secret.utf8)))
        return parts[1].dropFirst(3) == code.map { String(format: "%02x", $0) }.joined()
    }

    private func data(_ request: WebhookReceiver.Received) -> [String: any Sendable] {
        request.json["data"] as? [String: any Sendable] ?? [:]
    }

    @Test("a delivery has WorkOS's body and signature, and the IDs and times of the list of events")
    func delivered() async throws {
        try await WebhookReceiver.run { receiver in
            try await TestPlatform.run({
                $0.allowsPrivateWebhooks = true
                ($0.outboxConcurrency, $0.usageSettlesAfter) = (0, 0)
            }) { platform in
                let endpoint = try await endpoint(platform, receiver.url)
                let kept = try await platform.login("Ada Lovelace")
                let gone = try await platform.login("Grace Hopper")
                let key = platform.acme.api_keys[0].secret
                _ = try await platform.call("POST", "/tenants/acme/sessions/\(kept.session)/revoke", key: key, [:])
                _ = try await platform.call("DELETE", "/tenants/acme/users/\(gone.user)", key: key)
                _ = try await platform.worker().pass(at: Date())

                let received = receiver.received
                // Both users, the revoked session and the deletion, which includes the end of the session.
                #expect(received.count == 4)
                for request in received {
                    #expect(isSigned(request, by: endpoint.secret), "\(request.headers)")
                    #expect(!isSigned(request, by: "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()))
                    #expect(Set(request.json.keys) == ["object", "id", "event", "data", "created_at"])
                    #expect(request.header("webhook-signature").isEmpty)
                }
                func request(_ event: String, _ user: String, _ member: String = "id") throws -> WebhookReceiver.Received {
                    try #require(received.first { $0.json["event"] as? String == event && data($0)[member] as? String == user })
                }
                #expect(data(try request("user.created", kept.user))["first_name"] as? String == "Ada")
                #expect(data(try request("user.created", gone.user))["email"] is NSNull)
                #expect(data(try request("user.deleted", gone.user))["email"] is NSNull)
                let revoked = data(try request("session.revoked", kept.user, "user_id"))
                #expect(revoked["status"] as? String == "revoked" && (revoked["id"] as? String)?.hasPrefix(kept.session) == true)
                #expect((revoked["id"] as? String)?.utf8.count == "session_".utf8.count + 52)

                let list = try await TestBrowser(platform).send(
                    "GET", "\(TestPlatform.publicURL)/events?limit=100", headers: [("Authorization", "Bearer \(key)")], body: nil)
                let listed = list.data.map { ($0["id"] as? String, $0["created_at"] as? String) }
                for request in [
                    try request("user.created", kept.user), try request("session.revoked", kept.user, "user_id"),
                    try request("user.deleted", gone.user),
                ] {
                    let (id, time) = (request.json["id"] as? String, request.json["created_at"] as? String)
                    #expect(listed.contains { $0 == id && $1 == time }, "\(request.json)")
                }
            }
        }
    }

    @Test("each of several sessions is an event, and the format of another endpoint stays")
    func sessions() async throws {
        try await withWebhooks { platform, receiver in
            _ = try await endpoint(platform, receiver.url)
            let other = try await platform.webhook(receiver.url, ["session.revoked"])
            let first = try await platform.login("Ada Lovelace")
            let second = try await platform.login("Ada Lovelace")
            _ = try await platform.worker().pass(at: Date())
            let before = receiver.received.count
            let answer = try await platform.call("POST", "/tenants/acme/users/\(first.user)/sessions/revoke", [:])
            #expect(answer.json["revoked"] as? Int == 2, "\(answer.body)")
            _ = try await platform.worker().pass(at: Date())
            let received = receiver.received.dropFirst(before)
            let single = received.filter { $0.json["event"] as? String == "session.revoked" }
            let ids = single.compactMap { data($0)["id"] as? String }
            #expect(Set(ids.map { String($0.prefix(first.session.utf8.count)) }) == [first.session, second.session])
            #expect(Set(single.compactMap { $0.json["id"] as? String }).count == 2)
            let whole = received.filter { $0.json["type"] as? String == "session.revoked" }
            #expect(whole.count == 1 && whole.first.map { $0.isSigned(by: other.secret) } == true)
            #expect((data(try #require(whole.first))["session_ids"] as? [String]).map(Set.init) == [first.session, second.session])
        }
    }

    @Test("a delivery has nothing about a user whose Apple account was deleted since the event, except for IDs")
    func deletedAtApple() async throws {
        try await withWebhooks { platform, receiver in
            _ = try await endpoint(platform, receiver.url)
            let login = try await platform.login("Ada Lovelace")
            _ = try await platform.call("POST", "/tenants/acme/sessions/\(login.session)/revoke", [:])
            _ = try await platform.ownerPool.run("UPDATE tenant_user SET deleted_at = now(), erase_after = now() + interval '30 days'")
            _ = try await platform.worker().pass(at: Date())
            let received = receiver.received
            let created = data(try #require(received.first { $0.json["event"] as? String == "user.created" }))
            #expect(created["id"] as? String == login.user)
            #expect(created["email"] is NSNull && created["first_name"] is NSNull, "\(created)")
            let revoked = data(try #require(received.first { $0.json["event"] as? String == "session.revoked" }))
            #expect(revoked["user_id"] as? String == login.user && revoked["ip_address"] is NSNull, "\(revoked)")
            #expect((revoked["id"] as? String)?.utf8.count == "session_".utf8.count + 52)
        }
    }

    @Test("a delivery of 20 kB or more omits the metadata of its user")
    func largeMetadata() async throws {
        try await withWebhooks { platform, receiver in
            _ = try await endpoint(platform, receiver.url)
            for (length, isKept) in [(100, true), (600, false)] {
                let login = try await platform.login()
                // Each value has 4 bytes per character.
                let metadata = Dictionary(uniqueKeysWithValues: (0..<10).map { ("name\($0)", String(repeating: "🌳", count: length)) })
                let body = String(decoding: try JSONSerialization.data(withJSONObject: ["metadata": metadata]), as: UTF8.self)
                let answer = try await TestBrowser(platform).send(
                    "PUT", "\(TestPlatform.publicURL)/user_management/users/\(login.user)",
                    headers: [
                        ("Authorization", "Bearer \(platform.acme.api_keys[0].secret)"), ("Content-Type", "application/json"),
                    ], body: body)
                try #require(answer.status == 200, "\(answer.body)")
                _ = try await platform.worker().pass(at: Date())
                let created = try #require(receiver.received.first { data($0)["id"] as? String == login.user })
                #expect(created.body.count < 20_000)
                #expect(data(created)["metadata"] as? [String: String] == (isKept ? metadata : [:]))
            }
        }
    }

    @Test("a failed delivery is repeated with a new time, after a roll with the new secret, and a test arrives")
    func repeated() async throws {
        try await withWebhooks { platform, receiver in
            let endpoint = try await endpoint(platform, receiver.url)
            receiver.answer(.status(500))
            _ = try await platform.login()
            _ = try await platform.worker().pass(at: Date())
            let rolled = try #require(try await platform.call("POST", endpoint.path + "/secrets/roll", [:]).string("secret"))
            receiver.answer(.status(200))
            _ = try await platform.worker().pass(at: Date().addingTimeInterval(10))
            let received = receiver.received
            #expect(received.count == 2 && received[0].json["id"] as? String == received[1].json["id"] as? String)
            #expect(isSigned(received[0], by: endpoint.secret) && !isSigned(received[0], by: rolled))
            #expect(isSigned(received[1], by: rolled) && !isSigned(received[1], by: endpoint.secret))
            #expect(received[0].header("WorkOS-Signature") != received[1].header("WorkOS-Signature"))
            #expect(try await platform.call("POST", endpoint.path + "/test", [:]).status == 202)
            _ = try await platform.worker().pass(at: Date())
            let test = try #require(receiver.received.last)
            #expect(test.json["event"] as? String == "webhook.test" && isSigned(test, by: rolled))
            #expect(data(test)["webhook_id"] as? String == endpoint.id)
        }
    }

    @Test("events without a form in WorkOS's format are refused, also by the database")
    func refused() async throws {
        try await TestPlatform.run { platform in
            for events in [["statement.closed"], ["user.created", "user.email_disabled"]] {
                let answer = try await platform.call(
                    "POST", "/tenants/acme/webhooks", ["url": unusedURL, "events": events, "format": "workos"])
                #expect(answer.isProblem(400, "invalid"), "\(answer.body)")
                #expect((answer.json["errors"] as? [[String: String]])?.map { $0["field"] } == ["events"])
            }
            let answer = try await platform.call(
                "POST", "/tenants/acme/webhooks", ["url": unusedURL, "events": ["user.created"], "format": "svix"])
            #expect(answer.isProblem(400, "invalid"))
            await #expect(throws: DatabaseError.self) {
                _ = try await platform.ownerPool.run(
                    """
                    INSERT INTO webhook_endpoint (tenant_id, id, url, events, format, status, created_at, updated_at)
                    VALUES (\(try platform.acmeID), \(UUID()), 'https://x.example.com', '{key.expiring}', 'workos', 'enabled', now(), now())
                    """)
            }
        }
    }
}
