import Encoding
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Authorize device")
struct AuthorizeDeviceTests {
    @Test("a device gets its codes and the address of the page; the database has neither code", arguments: [0, 1])
    func codes(application: Int) async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform, application: application)
            let answer = try await client.start()
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(
                Set(answer.json.keys) == [
                    "device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in", "interval",
                ])
            let (device, user) = (answer.string("device_code") ?? "", answer.string("user_code") ?? "")
            #expect(device.count == 74)
            #expect(user.wholeMatch(of: /[B-Z]{4}-[B-Z]{4}/) != nil)
            #expect(answer.string("verification_uri") == client.page)
            #expect(answer.string("verification_uri_complete") == "\(client.page)?user_code=\(user)")
            #expect(answer.json["expires_in"] as? Int == 600)
            #expect(answer.json["interval"] as? Int == 5)
            let discovery = try await client.browser.get("\(platform.acme.issuer)/.well-known/openid-configuration")
            #expect(discovery.string("device_authorization_endpoint") == "\(platform.acme.issuer)/oauth2/device_authorization")
            #expect((discovery.json["grant_types_supported"] as? [String])?.contains(DeviceClient.grantType) == true)

            let row = try await platform.ownerPool.run(
                "SELECT d::text AS text, d.network, d.user_agent FROM device_authorization AS d")[0]
            let text = try row.get("text", as: String.self)
            for secret in [device, user, user.replacing("-", with: "")] { #expect(!text.contains(secret)) }
            #expect(try row.get("user_agent", as: String?.self) == DeviceClient.userAgent)
            // The limit of a network does not concern a server that proves its secret.
            #expect((try row.get("network", as: String?.self) == nil) == (application == 0))
        }
    }

    @Test("an application without the setting, an unknown one, and one with a wrong secret are refused, and nothing is stored")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform, isAllowed: false)
            #expect(try await client.start().isOAuthError(400, "unauthorized_client"))
            let allowed = try await DeviceClient(platform, application: 0)
            let url = "\(platform.acme.issuer)/oauth2/device_authorization"
            for form in [
                [("client_id", "app_01jd8x3v6qf9wr2m5tzk7h4c0n")], [("client_id", allowed.request.application.client_id)],
                [("client_id", allowed.request.application.client_id), ("client_secret", "eas_wrong")], [],
            ] { #expect(try await client.browser.post(url, form: form).isOAuthError(401, "invalid_client")) }
            #expect(try await allowed.start([("scope", "unknown")]).isOAuthError(400, "invalid_scope"))
            #expect(try await allowed.start([("resource", "https://nowhere.test")]).isOAuthError(400, "invalid_target"))
            #expect(try await allowed.start([("scope", "openid"), ("scope", "email")]).isOAuthError(400, "invalid_request"))
            #expect(
                try await client.browser.send("POST", url, headers: [("Content-Type", "application/json")], body: "{}")
                    .isOAuthError(400, "invalid_request"))
            #expect(try await client.browser.post("\(TestPlatform.publicURL)/t/nobody/oauth2/device_authorization", form: []).status == 404)
            #expect(try await platform.count("device_authorization") == 0)
        }
    }

    @Test("an unauthenticated network gets 100 codes per 10 minutes from all servers; others are not affected")
    func networkLimit() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            // As if other servers had answered 99 requests.
            _ = try await client.codes()
            _ = try await platform.ownerPool.run(Self.copies(99))
            let refused = try await client.start()
            #expect(refused.isOAuthError(429, "temporarily_unavailable"), "\(refused.body)")
            #expect(refused.header("Retry-After") == "60")
            #expect(try await platform.count("device_authorization") == 100)
            // The server of a confidential application has one address.
            let server = try await DeviceClient(platform, application: 0)
            #expect(try await server.start().status == 200)
            // Another network.
            _ = try await platform.ownerPool.run("UPDATE device_authorization SET network = '192.0.2.1'")
            #expect(try await client.start().status == 200)
            // Old ones do not count.
            _ = try await platform.ownerPool.run(
                "UPDATE device_authorization SET network = '127.0.0.1', expires_at = now() - interval '1 second'")
            #expect(try await client.start().status == 200)
        }
    }

    @Test("the addresses of one /48 of IPv6 are one network")
    func networkOfIPv6() async throws {
        try await TestPlatform.run({ $0.trustedProxies = 1 }) { platform in
            let client = try await DeviceClient(platform)
            var statuses: [Int] = []
            for number in 0..<24 {
                statuses.append(try await client.start(headers: [("X-Forwarded-For", "2001:db8:7:\(number)::1")]).status)
            }
            #expect(statuses.prefix(20).allSatisfy { $0 == 200 } && statuses.contains(429), "\(statuses)")
            #expect(try await client.start(headers: [("X-Forwarded-For", "2001:db8:8::1")]).status == 200)
            #expect(try await platform.count("device_authorization", where: "network = '20:1:d:b8:0:7'") == statuses.count { $0 == 200 })
        }
    }

    @Test("one server answers 20 requests of a network at once, and then writes nothing")
    func rate() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            var statuses: [Int] = []
            for _ in 0..<25 {
                statuses.append(try await client.start().status)
                // Only the rate counts here.
                _ = try await platform.ownerPool.run("UPDATE device_authorization SET network = '192.0.2.1'")
            }
            #expect(statuses.prefix(20).allSatisfy { $0 == 200 }, "\(statuses)")
            #expect(statuses.contains(429), "\(statuses)")
            #expect(try await platform.count("device_authorization") == statuses.count { $0 == 200 })
        }
    }

    @Test("an application has at most 10000 authorizations of the last 10 minutes; the next one needs none of another application")
    func applicationLimit() async throws {
        try await TestPlatform.run { platform in
            let (client, other) = (try await DeviceClient(platform), try await DeviceClient(platform, application: 0))
            _ = try await client.codes()
            _ = try await platform.ownerPool.run(Self.copies(9999, network: "192.0.2.1"))
            #expect(try await client.start().isOAuthError(429, "temporarily_unavailable"))
            #expect(try await other.start().status == 200)
        }
    }

    /// Inserts copies of the only authorization.
    private static func copies(_ count: Int, network: String? = nil) -> SQL {
        """
        INSERT INTO device_authorization (tenant_id, id, application_id, user_code_digest, scope, network, state, interval_seconds, created_at,
            expires_at)
        SELECT tenant_id, gen_random_uuid(), application_id, sha256(convert_to(number::text, 'UTF8')), scope, COALESCE(\(network), network),
            state, interval_seconds, created_at, expires_at
        FROM device_authorization, generate_series(1, \(count)) AS number
        """
    }
}
