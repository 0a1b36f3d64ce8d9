import Access
@testable import Devices
import Foundation
import Postgres
import Tenancy
import Server
import TestSupport
import Testing
import Users

@Suite("Redeem device code")
struct RedeemDeviceCodeTests {
    @Test(
        "a device code works once; a second use after the first refresh, or after 30 seconds, ends the session", arguments: [false, true])
    func once(isRefreshed: Bool) async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            try await client.approve(codes)
            let tokens = try await client.poll(codes.device)
            #expect(tokens.status == 200)
            if isRefreshed {
                #expect(try await client.browser.refresh(tokens.string("refresh_token") ?? "", client.request).status == 200)
            } else {
                _ = try await platform.ownerPool.run("UPDATE session SET created_at = created_at - interval '31 seconds'")
            }
            for _ in 0..<2 { #expect(try await client.pollLater(codes.device).isOAuthError(400, "invalid_grant")) }
            #expect(try await client.browser.userInfo(tokens.string("access_token"), of: platform.acme).status == 401)
            #expect(try await platform.count("session", where: "ended_reason = 'code_replayed'") == 1)
            #expect(try await platform.count("audit_event", where: "action = 'session.code_replayed'") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("of polls at once at two servers, one counts, and the others are too fast; an approved device gets its tokens once")
    func concurrent() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            try await client.approve(codes)
            try await SecondServer.run(beside: platform) { second in
                let answers = try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { tasks in
                    for number in 0..<8 {
                        tasks.addTask {
                            try await client.poll(codes.device, at: number.isMultiple(of: 2) ? platform.address : second.address)
                        }
                    }
                    return try await tasks.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.count { $0.status == 200 } == 1, "\(answers.map(\.body))")
                #expect(answers.count { $0.isOAuthError(400, "slow_down") } == 7, "\(answers.map(\.body))")
            }
            #expect(try await platform.count("session", where: "ended_at IS NULL") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("an early poll gets slow_down, and the interval grows by 5 seconds, at every server")
    func slowDown() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            func age(_ seconds: Double) async throws {
                _ = try await platform.ownerPool.run(
                    "UPDATE device_authorization SET polled_at = clock_timestamp() - make_interval(secs => \(seconds))")
            }
            #expect(try await client.poll(codes.device).isOAuthError(400, "authorization_pending"))
            #expect(try await client.poll(codes.device).isOAuthError(400, "slow_down"))
            // 5 seconds are no longer enough.
            try await age(5.5)
            try await SecondServer.run(beside: platform) { second in
                let early = try await client.poll(codes.device, at: second.address)
                #expect(early.isOAuthError(400, "slow_down"))
            }
            #expect(try await platform.count("device_authorization", where: "interval_seconds = 15") == 1)
            try await age(15)
            #expect(try await client.poll(codes.device).isOAuthError(400, "authorization_pending"))
            #expect(try await platform.count("device_authorization", where: "interval_seconds = 15") == 1)
        }
    }

    @Test("a flood of polls costs few statements")
    func flood() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            _ = try await platform.ownerPool.run([
                "CREATE TABLE poll ()",
                """
                CREATE FUNCTION polled() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
                    'BEGIN INSERT INTO poll DEFAULT VALUES; RETURN NULL; END'
                """,
                "CREATE TRIGGER polled AFTER UPDATE ON device_authorization FOR EACH ROW EXECUTE FUNCTION polled()",
            ])
            let start = ContinuousClock.now
            for _ in 0..<100 { #expect(try await client.poll(codes.device).status == 400) }
            // 10 at once, and one more per second.
            let seconds = Int(start.duration(to: .now).components.seconds)
            #expect(try await platform.count("poll") <= 11 + seconds)
        }
    }

    @Test("a code of another application, tenant or interface, and a made-up one, are invalid without a statement")
    func foreign() async throws {
        try await TestPlatform.run { platform in
            let (client, other) = (try await DeviceClient(platform), try await DeviceClient(platform, application: 0))
            let globex = try await DeviceClient(platform, application: 1, platform.globex)
            let codes = try await client.codes()
            try await client.approve(codes)
            for thief in [other, globex] { #expect(try await thief.poll(codes.device).isOAuthError(400, "invalid_grant")) }
            let id = ID<DeviceAuthorization>(at: Date())
            let (acme, application) = (
                try #require(ID<Tenant>(platform.acme.id)), try #require(ID<Application>(client.request.application.client_id))
            )
            let ofAuthKit = DeviceCode(id).text(.authKit, of: application, acme, with: platform.settings.keyring)
            for text in [
                ofAuthKit, String(codes.device.dropLast()), codes.device + "A", codes.device.uppercased(), "edc_x", "x",
                "\(codes.device.dropLast())\u{301}", String(repeating: "A", count: 5000),
            ] { #expect(try await client.poll(text).isOAuthError(400, "invalid_grant"), "\(text)") }
            #expect(
                try await client.browser.token(client.request, [("grant_type", DeviceClient.grantType)]).isOAuthError(
                    400, "invalid_request"))
            // None of them used the code up.
            #expect(try await client.poll(codes.device).status == 200)
        }
    }

    @Test("an old code, and one whose row is gone, get expired_token")
    func expired() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            try await client.approve(codes)
            _ = try await platform.ownerPool.run("UPDATE device_authorization SET expires_at = now() - interval '1 second'")
            #expect(try await client.poll(codes.device).isOAuthError(400, "expired_token"))
            try await DeviceAuthorization.forgetOld(
                in: PlatformDatabase(platform.pool, for: .forgetDeviceAuthorizations), at: Date())
            #expect(try await platform.count("device_authorization") == 0)
            #expect(try await client.poll(codes.device).isOAuthError(400, "expired_token"))
            #expect(try await platform.countBilled() == 0)
        }
    }

    @Test("a code that has expired by the time in its ID costs no statement")
    func expiredByID() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            _ = try await client.codes()
            let (acme, application) = (
                try #require(ID<Tenant>(platform.acme.id)), try #require(ID<Application>(client.request.application.client_id))
            )
            for (seconds, error) in [(TimeInterval(650), "authorization_pending"), (670, "expired_token")] {
                let id = ID<DeviceAuthorization>(at: Date().addingTimeInterval(-seconds))
                // A row that has not expired shows that nothing reads it.
                _ = try await platform.ownerPool.run("UPDATE device_authorization SET id = \(id), polled_at = NULL")
                let code = DeviceCode(id).text(.oauth, of: application, acme, with: platform.settings.keyring)
                #expect(try await client.poll(code).isOAuthError(400, error), "\(seconds)")
            }
            #expect(try await platform.count("device_authorization", where: "polled_at IS NULL") == 1)
        }
    }

    @Test("a user who is deleted, or signed out everywhere, after the approval gives the device nothing", arguments: [false, true])
    func userEnded(isDeleted: Bool) async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            try await client.approve(codes)
            let user = try await platform.ownerPool.run("SELECT id FROM tenant_user")[0].get("id", as: ID<User>.self)
            let path = "/tenants/acme/users/\(user)"
            let ended =
                isDeleted ? try await platform.call("DELETE", path) : try await platform.call("POST", "\(path)/sessions/revoke")
            #expect((200..<300).contains(ended.status), "\(ended.status) \(ended.body)")
            #expect(try await client.poll(codes.device).isOAuthError(400, "invalid_grant"))
            #expect(try await client.pollLater(codes.device).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.count("session") == 0)
            #expect(try await platform.countBilled() == 0)
        }
    }

    @Test("an approval that was written into the database, from another device or by hand, gives the device nothing")
    func forgedRow() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let (victim, attacker) = (try await client.codes(), try await client.codes())
            try await client.approve(victim)
            _ = try await platform.ownerPool.run(
                """
                UPDATE device_authorization AS a SET state = 'approved', login_id = v.login_id, approved_login = v.approved_login
                FROM device_authorization AS v WHERE v.state = 'approved' AND a.state = 'pending'
                """)
            #expect(try await client.poll(attacker.device).isOAuthError(400, "expired_token"))
            _ = try await platform.ownerPool.run(
                "UPDATE device_authorization SET approved_login = 'x' WHERE polled_at IS NOT NULL")
            #expect(try await client.pollLater(attacker.device).isOAuthError(400, "expired_token"))
            #expect(try await platform.count("session") == 0)
            #expect(try await client.poll(victim.device).status == 200)
        }
    }

    @Test("pending polls do not count as failed requests of their address")
    func notCharged() async throws {
        try await TestPlatform.run({ $0.apiRequestsPerMinute = 100 }) { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            for _ in 0..<20 {
                let answer = try await client.poll(codes.device)
                #expect(answer.status == 400, "\(answer.body)")
            }
        }
    }

    @Test("an authorization for an API gives access tokens for it (RFC 8707)")
    func resource() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let audience = "https://orders.test"
            let created = try await platform.call(
                "POST", "/tenants/acme/apis",
                [
                    "name": "Orders", "audience": audience, "scopes": ["orders:read"],
                    "applications": [["id": client.request.application.client_id] as [String: any Sendable]],
                ])
            #expect(created.status == 201, "\(created.body)")
            let codes = try await eventually("the server knows the API") { () async throws -> DeviceClient.Codes? in
                try? await client.codes([("resource", audience), ("scope", "openid orders:read")])
            }
            try await client.approve(codes)
            #expect(try await client.poll(codes.device, [("resource", "https://other.test")]).isOAuthError(400, "invalid_target"))
            let tokens = try await client.pollLater(codes.device, [("resource", audience)])
            #expect(tokens.status == 200, "\(tokens.body)")
            let access = try claims(of: tokens.string("access_token"))
            #expect(access["aud"] as? String == audience)
            #expect(access["scope"] as? String == "orders:read")
        }
    }
}
