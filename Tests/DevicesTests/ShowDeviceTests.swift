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
                codes.user, "Single page", "127.0.0.1", "TV/1.0", "less than 1 minute ago", "the same network as this browser",
                "Nobody from support will ever ask you for it", "Continue with Apple", "Refuse",
            ] { #expect(shown.body.contains(text), "\(text): \(shown.body)") }
            let cookie = shown.headers["Set-Cookie"].first ?? ""
            #expect(cookie.hasPrefix("__Host-espalier-device-"))
            #expect(cookie.hasSuffix("; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax"))
            #expect(try await client.poll(codes.device).isOAuthError(400, "authorization_pending"))
        }
    }

    @Test("a request from another network, and one of an application's server, say so; markup of the device is text")
    func requester() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            _ = try await platform.ownerPool.run(
                """
                UPDATE device_authorization SET address = '192.0.2.7', user_agent = '"><script>alert(1)</script>' || repeat('x', 150),
                    created_at = created_at - interval '3 minutes'
                """)
            let shown = try await client.show(codes.user)
            #expect(shown.isDevicePage(200))
            #expect(shown.body.contains("192.0.2.7"))
            #expect(shown.body.contains("another network than this browser"))
            #expect(shown.body.contains("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"))
            #expect(shown.body.contains("x…</bdi>"))
            #expect(shown.body.contains("3 minutes ago"))

            let server = try await DeviceClient(platform, application: 0)
            let ofServer = try await server.show(try await server.codes().user)
            #expect(ofServer.body.contains("The application&#39;s server made this request"))
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
