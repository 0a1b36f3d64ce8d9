import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show device")
struct ShowDeviceTests {
    @Test("the page shows which application asks, from where, when and with which program, and gives the device nothing")
    func page() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let shown = try await client.show(codes.user.lowercased().replacing("-", with: " "))
            #expect(shown.isDevicePage(200), "\(shown.body)")
            for text in [
                codes.user, "Single page", "Acme", "127.0.0.1", "Program, as it describes itself", "“TV/1.0”", "less than 1 minute ago",
                "Nobody from support will ever ask you for it", "Continue with Apple", "Refuse",
            ] { #expect(shown.body.contains(text), "\(text): \(shown.body)") }
            // All addresses are the same behind a proxy that the server does not know.
            #expect(!shown.body.contains("network"), "\(shown.body)")
            let cookie = shown.headers["Set-Cookie"].first ?? ""
            #expect(cookie.hasPrefix("__Host-espalier-device-"))
            #expect(cookie.hasSuffix("; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax"))
            #expect(try await client.poll(codes.device).isOAuthError(400, "authorization_pending"))
        }
    }

    @Test("a request from another network, and one of an application's server, say so; markup of the device is text")
    func requester() async throws {
        try await TestPlatform.run({ $0.trustedProxies = 1 }) { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            _ = try await platform.ownerPool.run(
                """
                UPDATE device_authorization SET address = '8.8.8.7', user_agent = '"><script>alert(1)</script>' || repeat('x', 150),
                    created_at = created_at - interval '3 minutes'
                """)
            let shown = try await client.show(codes.user, headers: DeviceClient.own + [("X-Forwarded-For", "8.8.8.8")])
            #expect(shown.isDevicePage(200))
            #expect(shown.body.contains("8.8.8.7"))
            #expect(shown.body.contains("another network than this browser"))
            #expect(shown.body.contains("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"))
            // 40 bytes are too short for a sentence of an attacker.
            #expect(shown.body.contains("&lt;/script&gt;\(String(repeating: "x", count: 13))…”</bdi>"), "\(shown.body)")
            #expect(shown.body.contains("3 minutes ago"))

            let server = try await DeviceClient(platform, application: 0)
            let ofServer = try await server.show(try await server.codes().user)
            #expect(ofServer.body.contains("The application&#39;s server made this request"))
            #expect(ofServer.body.contains("the application&#39;s server, 127.0.0.1"))
            #expect(ofServer.body.contains("The server&#39;s program, as it describes itself"))
        }
    }

    @Test(
        "no sentence compares networks that say nothing about the place of the device",
        arguments: [
            ("8.8.8.7", "8.8.8.7"), ("10.0.0.5", "8.8.8.8"), ("8.8.8.7", "192.168.1.2"), ("127.0.0.1", "8.8.8.8"),
            ("2600:1f18::1", "8.8.8.8"), ("2600:1f18:1:2::1", "2600:1f18:1:3::1"), ("fd00::1", "2600:1f18::1"),
            ("::ffff:8.8.8.8", "8.8.8.8"),
        ])
    func unknownPlace(ofDevice device: String, ofBrowser browser: String) async throws {
        try await TestPlatform.run({ $0.trustedProxies = 1 }) { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes(headers: [("X-Forwarded-For", device)])
            let shown = try await client.show(codes.user, headers: DeviceClient.own + [("X-Forwarded-For", browser)])
            #expect(shown.isDevicePage(200))
            #expect(!shown.body.contains("network"), "\(shown.body)")
        }
    }

    @Test("a second page of the same browser does not end the first one")
    func twice() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let first = try await client.show(codes.user)
            let second = try await client.show(codes.user)
            #expect(second.headers["Set-Cookie"].isEmpty)
            let page = try await client.signIn(first)
            #expect(page.isDevicePage(200), "\(page.body)")
            #expect(try await client.signIn(second).isDevicePage(200))
            #expect(try await client.press("approval", on: page).status == 200)
            // A value that this server did not make is replaced.
            let codesOfOther = try await client.codes()
            let name = try #require(try await client.show(codesOfOther.user, TestBrowser(platform)).headers["Set-Cookie"].first)
            client.browser.cookies[String(name.prefix { $0 != "=" })] = "x"
            #expect(try await client.show(codesOfOther.user).headers["Set-Cookie"].count == 1)
        }
    }

    @Test("another site cannot send the code, and a code of another tenant, a wrong one and an old one are unknown")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            for headers in [
                [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Origin", "https://evil.test")],
                [("Origin", "null")],
                [("Sec-Fetch-Site", "same-origin"), ("Origin", "https://evil.test")], [("Sec-Fetch-Site", "same-origin\u{301}")],
            ] {
                let answer = try await client.show(codes.user, headers: headers)
                #expect(answer.isPage(400), "\(headers)")
                #expect(!answer.body.contains(codes.user))
            }
            func expectUnknown(_ answer: TestBrowser.Answer, _ text: String = "unknown or has expired") {
                #expect(answer.isDevicePage(400), "\(answer.body)")
                #expect(answer.body.contains(text), "\(answer.body)")
                #expect(answer.headers["Set-Cookie"].isEmpty)
            }
            expectUnknown(try await client.show("BCDF-GHJK"))
            for text in ["", "x", "BCDF-GHJA", "\(codes.user)\u{301}", "\u{600}\(codes.user)", "\(codes.user)\u{200D}"] {
                expectUnknown(try await client.show(text), "A code has 8 letters")
            }
            let globex = try await client.browser.post(
                "\(platform.globex.issuer)/device", form: [("user_code", codes.user)], headers: DeviceClient.own)
            expectUnknown(globex)
            try await client.allow(false)
            expectUnknown(try await client.show(codes.user))
            try await client.allow(true)
            _ = try await platform.ownerPool.run("UPDATE device_authorization SET expires_at = now()")
            expectUnknown(try await client.show(codes.user))
        }
    }

    @Test("guesses from one address are limited before they reach the database; a right code does not count")
    func guesses() async throws {
        try await TestPlatform.run({ $0.trustedProxies = 1 }) { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            var statuses: [Int] = []
            for _ in 0..<20 { #expect(try await client.show(codes.user).status == 200) }
            for _ in 0..<14 { statuses.append(try await client.show(Self.wrong()).status) }
            #expect(statuses.prefix(10).allSatisfy { $0 == 400 }, "\(statuses)")
            #expect(statuses.last == 429, "\(statuses)")
            // The right code needs a look-up too, so this address has to wait, and another one does not.
            let waiting = try await client.show(codes.user)
            #expect(waiting.isPage(429))
            #expect(waiting.header("Retry-After") != nil)
            #expect(try await client.show(codes.user, headers: DeviceClient.own + [Self.from(1)]).status == 200)
        }
    }

    @Test("guesses from all addresses together are limited per tenant")
    func guessesOfTenant() async throws {
        try await TestPlatform.run({ $0.trustedProxies = 1 }) { platform in
            let client = try await DeviceClient(platform)
            var (unknown, limited) = (0, 0)
            for number in 0..<150 {
                let answer = try await client.show(Self.wrong(), headers: DeviceClient.own + [Self.from(number / 5)])
                if answer.status == 429 { limited += 1 } else { unknown += 1 }
            }
            // The limit grows again by 2 per second.
            #expect(unknown >= 120)
            #expect(limited > 0)
            // A refusal by the tenant's limit does not use up that of the address, which grows by 1 per 6 seconds.
            for _ in 0..<12 { _ = try await client.show(Self.wrong(), headers: DeviceClient.own + [Self.from(200)]) }
            let next = try await client.show(Self.wrong(), headers: DeviceClient.own + [Self.from(200)])
            #expect(next.status == 400 || next.header("Retry-After") == "1", "\(next.header("Retry-After") ?? "none")")
            // The other tenant has its own limit.
            let other = try await client.browser.post(
                "\(platform.globex.issuer)/device", form: [("user_code", Self.wrong())], headers: DeviceClient.own + [Self.from(100)])
            #expect(other.status == 400)
        }
    }

    private static func from(_ number: Int) -> (String, String) { ("X-Forwarded-For", "192.0.2.\(number)") }

    private static func wrong() -> String {
        String((0..<8).map { _ in "BCDFGHJKLMNPQRSTVWXZ".randomElement()! })
    }
}
