import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

/// No log and no error contains a secret, code, token, email address or name.
@Suite("Secrecy")
struct SecrecyTests {
    @Test("neither successful nor failed logins leave a secret in the log, at its lowest level")
    func log() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                var secrets = [
                    request.application.client_secret!, request.verifier, request.challenge, request.state, request.nonce,
                    platform.acme.api_keys[0].secret, "Zebediah", "Quux", "zebediah-quux@example.com", "eve@evil.test",
                ]
                let named = [("Simulator-Name", "Zebediah Quux")]
                for trouble in [nil, "bad_signature", "malformed_json", "drop", "error"] as [String?] {
                    if let trouble {
                        var fault: [String: any Sendable] = [
                            "endpoint": "token", "fault": trouble, "client_id": platform.own.servicesID, "times": 1,
                        ]
                        if trouble == "error" { fault["error"] = "invalid_grant" }
                        try await platform.simulator.fault(fault)
                    }
                    var (form, cookie) = try await server.atApple(request, browser, headers: named)
                    form["user"] = form["user"]?.replacing("\"email\"", with: "\"email\":\"eve@evil.test\",\"x\"")
                    secrets += form.fields.filter { $0.0 != "user" }.map(\.1) + [String(cookie.split(separator: "=")[1])]
                    let back = try await server.callback(form, cookie: cookie, browser)
                    guard let code = back["code"] else {
                        #expect(trouble != nil)
                        continue
                    }
                    secrets.append(code)
                    let tokens = try await server.redeem(code, request, browser)
                    let issued = ["access_token", "refresh_token", "id_token"].compactMap { tokens.string($0) }
                    #expect(issued.count == 3)
                    secrets += issued
                    let url = "\(server.address)/t/acme/oauth2"
                    for token in issued {
                        _ = try await browser.get("\(url)/userinfo", headers: [("Authorization", "Bearer \(token)")])
                        _ = try await browser.post(
                            "\(url)/token",
                            form: [
                                ("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", request.application.client_id),
                                ("client_secret", request.application.client_secret!),
                            ])
                    }
                    // A replay, and a request with a wrong secret.
                    _ = try await server.redeem(code, request, browser)
                    _ = try await browser.post(
                        "\(url)/token", form: [("grant_type", "authorization_code"), ("code", code)],
                        headers: [("Authorization", "Basic \(Data("x:\(request.verifier)".utf8).base64EncodedString())")])
                }
                // The database refuses this name.
                _ = try await platform.ownerPool.run("ALTER TABLE tenant_user ADD CONSTRAINT no_names CHECK (given_name IS NULL) NOT VALID")
                let (form, cookie) = try await server.atApple(request, browser, headers: named)
                #expect(try await server.callback(form, cookie: cookie, browser)["error"] == "server_error")
                let usage = "\(server.address)/v1/tenants/acme/usage"
                _ = try await browser.get(usage, headers: [("Authorization", "Bearer \(platform.acme.api_keys[0].secret)")])

                let log = server.log.text
                for part in ["action=authorize", "action=appleCallback", "action=token", "action=userInfo", "action=getUsage", "no_names"] {
                    #expect(log.contains(part), "the test did not reach this log message: \(part)")
                }
                for secret in secrets where secret.utf8.count >= 4 {
                    #expect(!log.contains(secret), "the log contains \(secret.prefix(60))")
                }
            }
        }
    }

    @Test("a refusal repeats no part of the request")
    func refusals() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.tokens(request, person: "Grace Hopper")
            let code = try await browser.code(request, person: "Grace Hopper")
            var form = try await browser.atApple(try await browser.authorize(request), person: "Grace Hopper")
            form["state"] = form["state"]! + "A"
            var stranger = request
            stranger.application = platform.acme.applications[2]
            let answers = [
                try await browser.redeem(code, stranger), try await browser.refresh(tokens["refresh_token"] as! String, stranger),
                try await browser.userInfo(tokens["id_token"] as? String, of: platform.acme), try await browser.callback(form),
                try await browser.get(request.authorizeURL(changing: ["redirect_uri": "https://evil.test/"])),
                try await browser.get(
                    "\(TestPlatform.publicURL)/v1/tenants/globex/usage",
                    headers: [("Authorization", "Bearer \(platform.acme.api_keys[0].secret)")]),
            ]
            let secrets =
                [
                    code, request.verifier, request.nonce, request.state, request.application.client_secret!,
                    platform.acme.api_keys[0].secret,
                ]
                + [stranger.application.client_secret!, "Grace", "Hopper"]
                + tokens.values.compactMap { $0 as? String }.filter { $0.count > 20 }
                + form.fields.map(\.1)
            for answer in answers {
                #expect((400..<500).contains(answer.status))
                for secret in secrets {
                    #expect(!answer.body.contains(secret))
                    #expect(!answer.headers.contains { $0.value.contains(secret) })
                }
            }
        }
    }
}
