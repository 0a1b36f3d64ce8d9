import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("AuthKit authorize device")
struct AuthKitAuthorizeDeviceTests {
    private static let grantType = "urn:ietf:params:oauth:grant-type:device_code"

    /// Lets the application use the grant, and waits until the server knows it.
    private func allow(_ client: AuthKitClient) async throws {
        let path = "/tenants/\(client.request.tenant.slug)/applications/\(client.request.application.client_id)"
        #expect(try await client.platform.call("PATCH", path, ["allows_device_grant": true]).status == 200)
        try await eventually("the server knows the setting") { try await start(client).status == 200 }
    }

    /// As WorkOS's library: the client ID alone, and the API key in the header.
    private func start(_ client: AuthKitClient, _ body: [String: String]? = nil, key: String? = nil) async throws -> TestBrowser.Answer {
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body ?? ["client_id": client.clientID]), as: UTF8.self)
        let bearer = (key ?? client.secret).map { [("Authorization", "Bearer \($0)")] } ?? []
        return try await client.browser.send(
            "POST", "\(AuthKitClient.root)/authorize/device", headers: [("Content-Type", "application/json")] + bearer, body: text)
    }

    private func poll(_ code: String, _ client: AuthKitClient) async throws -> TestBrowser.Answer {
        _ = try await client.platform.ownerPool.run("UPDATE device_authorization SET polled_at = polled_at - interval '10 minutes'")
        return try await pollAtOnce(code, client)
    }

    private func pollAtOnce(_ code: String, _ client: AuthKitClient, key: String? = nil) async throws -> TestBrowser.Answer {
        try await client.authenticate(
            ["grant_type": Self.grantType, "device_code": code, "client_secret": nil], headers: key.map { [("Idempotency-Key", $0)] } ?? [])
    }

    /// The user's steps in a browser, to a decision.
    private func decide(_ decision: String, _ userCode: String, _ platform: TestPlatform) async throws {
        let (user, page) = (TestBrowser(platform), "\(platform.acme.issuer)/device")
        let shown = try await user.post(page, form: [("user_code", userCode)])
        func field(_ name: String, of page: TestBrowser.Answer) -> String {
            page.body.matches(of: /name="([a-z]+)" value="([^"]*)"/).first { $0.1 == name }.map { String($0.2) } ?? ""
        }
        let ticket = field("ticket", of: shown)
        let toApple = try await user.get("\(page)/sign-in?ticket=\(ticket)")
        let back = try await user.callback(try await user.atApple(toApple, person: "Ada Lovelace"))
        let review = try await user.get(back.location ?? "")
        let done = try await user.post("\(page)/\(decision)", form: [("ticket", ticket), ("login", field("login", of: review))])
        #expect(done.status == 200, "\(done.body)")
    }

    @Test("a device gets codes, polls, and receives a session like any other; it is billed once", arguments: [0, 1])
    func session(application: Int) async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform, application: application)
            try await allow(client)
            let started = try await start(client)
            #expect(started.status == 200, "\(started.body)")
            #expect(started.header("X-Request-ID") == started.header("Request-Id"))
            #expect(
                Set(started.json.keys) == [
                    "device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in", "interval",
                ])
            let (device, user) = (started.string("device_code") ?? "", started.string("user_code") ?? "")
            #expect(try await poll(device, client).isOAuthError(400, "authorization_pending"))
            let early = try await client.authenticate(["grant_type": Self.grantType, "device_code": device, "client_secret": nil])
            #expect(early.isOAuthError(400, "slow_down"))
            // A code of this interface is not one of OAuth's.
            let oauth = try await client.browser.token(client.request, [("grant_type", Self.grantType), ("device_code", device)])
            #expect(oauth.isOAuthError(400, "invalid_grant"))

            try await decide("approval", user, platform)
            let answer = try await poll(device, client)
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.user["first_name"] as? String == "Ada")
            #expect(answer.string("authentication_method") == "AppleOAuth")
            #expect(answer.string("organization_id") == client.organization)
            #expect(try await client.refresh(answer.string("refresh_token")).status == 200)
            #expect(try await client.billed() == 1)
            #expect(try await poll(device, client).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.count("session", where: "ended_reason = 'code_replayed'") == 1)
        }
    }

    @Test("a retry with the same Idempotency-Key gets the first response at once; any other repetition ends the session")
    func retries() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform, application: 1)
            try await allow(client)
            let started = try await start(client)
            let device = started.string("device_code") ?? ""
            try await decide("approval", started.string("user_code") ?? "", platform)
            let first = try await pollAtOnce(device, client, key: "one")
            #expect(first.status == 200, "\(first.body)")
            for _ in 0..<2 { #expect(try await pollAtOnce(device, client, key: "one").body == first.body) }
            #expect(try await pollAtOnce(device, client, key: "another").isOAuthError(400, "slow_down"))
            #expect(try await platform.count("session", where: "ended_at IS NULL") == 1)
            #expect(try await client.billed() == 1)
            // Later, a request with another key or without one ends the session.
            #expect(try await poll(device, client).isOAuthError(400, "invalid_grant"))
            #expect(try await pollAtOnce(device, client, key: "one").status == 400)
            #expect(try await client.refresh(first.string("refresh_token")).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("an application that requires DPoP gets no codes, because this interface has no proofs")
    func requiresDPoP() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform, application: 1)
            try await allow(client)
            let path = "/tenants/acme/applications/\(client.request.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["requires_dpop": true]).status == 200)
            try await eventually("the server knows the setting") {
                try await start(client).isOAuthError(400, "unauthorized_client")
            }
        }
    }

    @Test("a refusal of the user, a wrong key and an application without the setting have RFC 8628's and OAuth's errors")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform, application: 0)
            #expect(try await start(client).isOAuthError(400, "unauthorized_client"))
            try await allow(client)
            let codes = try await start(client)
            try await decide("refusal", codes.string("user_code") ?? "", platform)
            #expect(try await poll(codes.string("device_code") ?? "", client).isOAuthError(400, "access_denied"))
            #expect(try await start(client, key: platform.globex.api_keys[0].secret).isOAuthError(401, "invalid_client"))
            #expect(try await start(client, key: "esk_test_wrong").isOAuthError(401, "invalid_client"))
            #expect(try await start(client, ["client_id": "client_01jd8x3v6qf9wr2m5tzk7h4c0n"]).isOAuthError(401, "invalid_client"))
            #expect(try await start(client, [:]).isOAuthError(400, "invalid_request"))
            #expect(
                try await client.authenticate(["grant_type": Self.grantType]).isOAuthError(400, "invalid_request"))
        }
    }
}
