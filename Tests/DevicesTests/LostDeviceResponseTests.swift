import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Users

/// A device that polls again because the response with its tokens did not arrive.
@Suite("Lost device response")
struct LostDeviceResponseTests {
    @Test("a device that lost the response gets the same session again within 30 seconds, after the interval, and is billed once")
    func again() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            try await client.approve(codes)
            let lost = try await client.poll(codes.device)
            #expect(lost.status == 200, "\(lost.body)")
            #expect(try await client.poll(codes.device).isOAuthError(400, "slow_down"))
            let again = try await client.pollLater(codes.device)
            #expect(again.status == 200, "\(again.body)")
            #expect(again.string("refresh_token") == lost.string("refresh_token"))
            #expect(try claims(of: again.string("id_token"))["sub"] as? String == claims(of: lost.string("id_token"))["sub"] as? String)
            #expect(
                try claims(of: again.string("access_token"))["sid"] as? String == claims(of: lost.string("access_token"))["sid"] as? String)
            for answer in [lost, again] {
                #expect(try await client.browser.userInfo(answer.string("access_token"), of: platform.acme).status == 200)
            }
            #expect(try await client.browser.refresh(again.string("refresh_token") ?? "", client.request).status == 200)
            #expect(try await platform.count("session", where: "ended_at IS NULL") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("a poll that is slower than the next one ends nothing: both get tokens of the same session")
    func slow() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            try await client.approve(codes)
            let tenant = try #require(ID<Tenant>(platform.acme.id))
            @Sendable func waiting(_ count: Int) async throws -> Bool {
                try await platform.count(
                    "pg_locks",
                    where: """
                        locktype = 'advisory' AND classid = 1936028531 AND NOT granted
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        """) == count
            }
            // A sign-out of the whole tenant delays its logins.
            let polls = try await OwnerDatabase(platform.ownerPool, tenant: tenant).transaction { db in
                _ = try await db.run(LoginLock.exclusive(of: tenant))
                let first = Task { try await client.poll(codes.device) }
                try await eventually("the first poll waits") { try await waiting(1) }
                let second = Task { try await client.pollLater(codes.device) }
                try await eventually("the second poll waits") { try await waiting(2) }
                return [first, second]
            }
            var answers: [TestBrowser.Answer] = []
            for poll in polls { answers.append(try await poll.value) }
            #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.body))")
            #expect(Set(answers.map { $0.string("refresh_token") }).count == 1)
            #expect(try await platform.count("session", where: "ended_at IS NULL") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("a device that lost the response gets nothing again after its session has ended")
    func ended() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            try await client.approve(codes)
            #expect(try await client.poll(codes.device).status == 200)
            let user = try await platform.ownerPool.run("SELECT id FROM tenant_user")[0].get("id", as: ID<User>.self)
            let ended = try await platform.call("POST", "/tenants/acme/users/\(user)/sessions/revoke")
            #expect((200..<300).contains(ended.status), "\(ended.body)")
            #expect(try await client.pollLater(codes.device).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("tokens of a device with a DPoP proof are bound to its key, and only the same key gets them again")
    func boundToKey() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let (codes, key, url) = (try await client.codes(), try ClientKey(nil), "\(platform.acme.issuer)/oauth2/token")
            try await client.approve(codes)
            @Sendable func poll(by key: ClientKey?) async throws -> TestBrowser.Answer {
                _ = try await platform.ownerPool.run("UPDATE device_authorization SET polled_at = polled_at - interval '10 minutes'")
                func send(_ nonce: String?) async throws -> TestBrowser.Answer {
                    try await client.browser.post(
                        url,
                        form: [
                            ("grant_type", DeviceClient.grantType), ("device_code", codes.device),
                            ("client_id", client.request.application.client_id),
                        ], headers: try key.map { [("DPoP", try $0.proof(url, nonce: nonce))] } ?? [])
                }
                guard key != nil else { return try await send(nil) }
                let asked = try await send(nil)
                #expect(asked.isOAuthError(400, "use_dpop_nonce"), "\(asked.body)")
                return try await send(asked.header("DPoP-Nonce"))
            }
            let tokens = try await poll(by: key)
            #expect(tokens.status == 200 && tokens.string("token_type") == "DPoP", "\(tokens.body)")
            #expect((try claims(of: tokens.string("access_token"))["cnf"] as? [String: String]) == ["jkt": try key.thumbprint])
            #expect(try await client.browser.refresh(tokens.string("refresh_token") ?? "", client.request).status == 400)
            let again = try await poll(by: key)
            #expect(again.string("refresh_token") == tokens.string("refresh_token"), "\(again.body)")
            #expect(try await poll(by: try ClientKey(nil)).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.count("session", where: "ended_reason = 'code_replayed'") == 1)
        }
    }
}
