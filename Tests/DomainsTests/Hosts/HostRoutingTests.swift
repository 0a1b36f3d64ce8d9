import Domains
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Own hosts: routing")
struct HostRoutingTests {
    private static let discovery = "/.well-known/openid-configuration"

    @Test("discovery at the host names the host alone, and discovery at the old address the old address")
    func discovery() async throws {
        try await OwnHost.run { own in
            let browser = own.browser()
            for document in [Self.discovery, "/.well-known/oauth-authorization-server"] {
                let answer = try await browser.get(OwnHost.url + document)
                #expect(answer.status == 200 && answer.string("issuer") == OwnHost.url)
                #expect(answer.string("authorization_endpoint") == "\(OwnHost.url)/oauth2/authorize")
                #expect(answer.string("jwks_uri") == "\(OwnHost.url)/oauth2/jwks")
                #expect(!answer.body.contains(TestPlatform.publicURL))
            }
            let keys = try await browser.get("\(OwnHost.url)/oauth2/jwks")
            let oldKeys = try await browser.get("\(own.platform.acme.issuer)/oauth2/jwks")
            #expect(keys.status == 200 && keys.body == oldKeys.body)
            let old = try await browser.get(own.platform.acme.issuer + Self.discovery)
            #expect(old.string("issuer") == own.platform.acme.issuer && !old.body.contains(OwnHost.name))
        }
    }

    @Test("another tenant and the platform are not at the host")
    func others() async throws {
        try await OwnHost.run { own in
            let browser = own.browser()
            let key = [("Authorization", "Bearer \(own.platform.seeded.api_keys[0].secret)")]
            for path in [
                "/", "/t/globex\(Self.discovery)", "/t/acme\(Self.discovery)", "//t/globex\(Self.discovery)", "/v1/tenants",
                "/v1/tenants/acme",
                "/v1/tenants/globex", "/auth/apple/authorize", "/user_management/authorize", "/organizations", "/pricing",
                "/.well-known/security.txt", "\(Self.discovery)/t/globex", "/.well-known/oauth-authorization-server/t/globex",
                "/../t/globex\(Self.discovery)", "/%2e%2e/globex\(Self.discovery)", "/metrics",
            ] {
                let answer = try await browser.get(OwnHost.url + path, headers: key)
                #expect(answer.status == 404, "\(path): \(answer.status)")
                #expect(!answer.body.contains("globex") || path.contains("globex"))
            }
            #expect(try await browser.get("\(OwnHost.url)/button.svg").status == 200)
            #expect(try await browser.get("\(OwnHost.url)/favicon.ico").status == 200)
            let wrong = try await browser.send("DELETE", "\(OwnHost.url)/oauth2/token", headers: [], body: nil)
            #expect(wrong.status == 405 && wrong.header("Allow") == "POST")
        }
    }

    @Test("the host is compared without its case, port and final dot, and by bytes")
    func spellings() async throws {
        try await OwnHost.run { own in
            for host in [
                OwnHost.name, "LOGIN.Acme.Test", "\(OwnHost.name):443", "\(OwnHost.name):8443", "\(OwnHost.name).", "\(OwnHost.name).:443",
            ] {
                #expect(try await RawRequest.status(Self.discovery, "Host: \(host)", to: own.platform) == 200, "\(host)")
                #expect(try await RawRequest.status("/t/globex\(Self.discovery)", "Host: \(host)", to: own.platform) == 404, "\(host)")
            }
            for host in [
                "login.acme.test\u{301}", "login.acme\u{200D}.test", "\u{600}login.acme.test", "login.acme.test\u{600}:443",
                "login.acme.tes\u{212A}", "login.acme.test, login.globex.test", "login.acme.test@globex", "login.acme.test:x",
            ] {
                #expect(try await RawRequest.status(Self.discovery, "Host: \(host)", to: own.platform) == 400, "\(host)")
            }
            for host in ["login.acme.test..", "x.login.acme.test", "acme.test", "login.acme.test.x", "ogin.acme.test"] {
                #expect(try await RawRequest.status(Self.discovery, "Host: \(host)", to: own.platform) == 404, "\(host)")
            }
            let two = try await RawRequest.status(Self.discovery, "Host: \(OwnHost.name)", "Host: login.test", to: own.platform)
            #expect(two == 400)
            // No header of a caller replaces the host.
            let forwarded = try await RawRequest.status(
                Self.discovery, "Host: login.test", "X-Forwarded-Host: \(OwnHost.name)", "Forwarded: host=\(OwnHost.name)", to: own.platform
            )
            #expect(forwarded == 404)
        }
    }

    @Test("an absolute target must name the host of the header")
    func absolute() async throws {
        try await OwnHost.run { own in
            let path = Self.discovery
            for (target, host, status) in [
                ("http://\(OwnHost.name)\(path)", OwnHost.name, 200), ("HTTPS://LOGIN.ACME.TEST\(path)", OwnHost.name, 200),
                ("http://\(OwnHost.name)\(path)", "login.test", 400), ("http://login.test/t/globex\(path)", OwnHost.name, 400),
                ("http://x@\(OwnHost.name)\(path)", OwnHost.name, 400), ("http://\(OwnHost.name)?a", OwnHost.name, 404),
            ] {
                #expect(try await RawRequest.status(target, "Host: \(host)", to: own.platform) == status, "\(target) at \(host)")
            }
            // The slug of another tenant may begin with this one's. A target without a slash does not extend the slug.
            for target in ["-x\(path)", "x\(path)", "*"] {
                let status = try await RawRequest.status(target, "Host: \(OwnHost.name)", to: own.platform)
                #expect([400, 404].contains(status), "\(target)")
            }
        }
    }

    @Test("pages of spa applications may call the endpoints at the host")
    func crossOrigin() async throws {
        try await OwnHost.run { own in
            let answer = try await own.browser().get(OwnHost.url + Self.discovery, headers: [("Origin", "https://any.test")])
            #expect(answer.header("Access-Control-Allow-Origin") == "*")
            let id = own.platform.acme.applications[1].client_id
            _ = try await own.platform.ownerPool.run("UPDATE application SET kind = 'spa' WHERE kind = 'native'")
            try await own.settle()
            let token = try await own.browser().post(
                "\(OwnHost.url)/oauth2/token", form: [("client_id", id)], headers: [("Origin", "https://app.test")])
            #expect(token.header("Access-Control-Allow-Origin") == "https://app.test")
        }
    }

    @Test("a host that a tenant has lost serves nobody; a claimed one is a name of the server")
    func lost() async throws {
        try await OwnHost.run { own in
            _ = try await own.create("claimed.acme.test")
            try await own.settle()
            let (path, browser) = ("/t/globex\(Self.discovery)", own.browser())
            func status(_ path: String, _ host: String = OwnHost.name) async throws -> Int {
                try await RawRequest.status(path, "Host: \(host)", to: own.platform)
            }
            #expect(try await status(path, "claimed.acme.test") == 200)
            try await own.set("state = 'inactive'")
            try await own.settle()
            for path in [path, Self.discovery, "/v1/tenants", "/button.svg", "/certificates/ask?domain=login.test"] {
                #expect(try await status(path) == 404, "\(path)")
            }
            let asked = try await browser.get("\(TestPlatform.publicURL)/certificates/ask?domain=\(OwnHost.name)")
            #expect(asked.status == 404)
        }
    }

    @Test("the host of a deleted tenant has no sign-in, and still receives Apple's notifications, because the tenant may be restored")
    func deleted() async throws {
        try await OwnHost.run { own in
            #expect(try await own.platform.call("DELETE", "/tenants/acme?confirm=acme").status == 200)
            try await own.settle()
            let browser = own.browser()
            for path in [
                Self.discovery, "/oauth2/authorize", "/oauth2/jwks", "/device", "/t/globex\(Self.discovery)", "/t/acme\(Self.discovery)",
                "/v1/tenants",
            ] {
                let status = try await browser.get(OwnHost.url + path).status
                #expect(status == 404, "\(path) \(status)")
            }
            // Apple needs a certificate there.
            #expect(try await browser.get("\(TestPlatform.publicURL)/certificates/ask?domain=\(OwnHost.name)").status == 200)
            let now = Int(Date().timeIntervalSince1970)
            let event = #"{"type": "email-disabled", "sub": "000123.0123.0456", "event_time": \#(now * 1000)}"#
            let signed = try await own.platform.simulator.send(
                .POST, "/simulator/notifications/sign",
                [
                    "iss": "https://appleid.apple.com", "aud": own.platform.own.servicesID, "iat": now, "jti": UUID().uuidString,
                    "events": event,
                ])
            let answer = try await browser.send(
                "POST", "\(OwnHost.url)/auth/apple/notifications", headers: [("Content-Type", "application/json")],
                body: String(decoding: signed, as: UTF8.self))
            #expect(answer.status == 200, "\(answer.status) \(answer.body)")
            #expect(try await own.platform.count("apple_notification") == 1)
        }
    }

    @Test("without notifications, a process reads the hosts again automatically")
    func withoutNotifications() async throws {
        try await OwnHost.run { own in
            // The triggers stand for a lost connection.
            _ = try await own.platform.ownerPool.run("ALTER TABLE domain DISABLE TRIGGER USER")
            try await own.set("state = 'inactive'")
            // The process may get its connection only now, and then believes that notifications arrive.
            try await eventually("the process has none") {
                own.platform.installation.hosts.forgetAll(isFresh: false)
                // It would otherwise keep the tenant's addresses for 60 s.
                own.platform.installation.directory.forgetAll(isFresh: false)
                return try await own.browser().get(OwnHost.url + Self.discovery).status == 404
            }
            for (state, status) in [("active", 200), ("inactive", 404)] {
                try await own.set("state = '\(state)'")
                try await eventually("the process knows that it is \(state)") {
                    try await own.browser().get(OwnHost.url + Self.discovery).status == status
                }
            }
        }
    }

    @Test("a suspended tenant has no sign-in at its host")
    func suspended() async throws {
        try await OwnHost.run { own in
            try await own.platform.suspend(own.platform.acme)
            try await own.settle()
            #expect(try await own.browser().get(OwnHost.url + Self.discovery).status == 404)
            let page = try await own.browser().get(own.acme.issuer + "/oauth2/authorize")
            #expect(page.isPage(404))
        }
    }
}
