import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Review device")
struct ReviewDeviceTests {
    @Test("after the sign-in, the page shows the user and the device; the device still has nothing")
    func page() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let page = try await client.signIn(try await client.show(codes.user), person: "Ada Lovelace")
            #expect(page.isDevicePage(200), "\(page.body)")
            for text in ["Ada Lovelace (", codes.user, "Single page", "127.0.0.1", "Allow this device", "Refuse"] {
                #expect(page.body.contains(text), "\(text): \(page.body)")
            }
            #expect(try await client.pollLater(codes.device).isOAuthError(400, "authorization_pending"))
            #expect(try await platform.count("session") == 0)
            #expect(try await platform.countBilled() == 0)
        }
    }

    @Test("a person who cancels at Apple sees the device again, and may try again")
    func cancelled() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let again = try await client.signIn(try await client.show(codes.user), person: "cancel")
            #expect(again.isDevicePage(200), "\(again.body)")
            #expect(again.body.contains("You did not sign in with Apple"))
            let page = try await client.signIn(again)
            #expect(try await client.press("approval", on: page).status == 200)
            #expect(try await client.poll(codes.device).status == 200)
        }
    }

    @Test("the page has no text of the link, and another browser sees nothing")
    func links() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let shown = try await client.show(codes.user)
            let ticket = try #require(shown.form("refusal")?["ticket"])
            let link = TestBrowser.Request.url(
                "\(client.page)/approval", [("state", ticket), ("error", "x"), ("error_description", "Call 4711 <b>now</b>")])
            let answer = try await client.browser.get(link)
            #expect(answer.isDevicePage(200))
            #expect(!answer.body.contains("4711"))
            #expect(try await TestBrowser(platform).get(link).isPage(400))
            for login in ["x", ticket] {
                let made = TestBrowser.Request.url("\(client.page)/approval", [("state", ticket), ("login", login)])
                #expect(try await client.browser.get(made).isPage(400))
            }
        }
    }

    @Test("a login for one device opens for no other one, and no token endpoint accepts it")
    func boundLogin() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let (first, second) = (try await client.codes(), try await client.codes())
            let page = try await client.signIn(try await client.show(first.user))
            let login = try #require(page.form("approval")?["login"])
            let ticket = try #require(try await client.show(second.user).form("refusal")?["ticket"])
            let mixed = try await client.browser.get(
                TestBrowser.Request.url("\(client.page)/approval", [("state", ticket), ("login", login)]))
            #expect(mixed.isPage(400))
            let posted = try await client.browser.post(
                "\(client.page)/approval", form: [("ticket", ticket), ("login", login)], headers: DeviceClient.own)
            #expect(posted.isPage(400))
            for redirectURI in ["\(client.page)/approval", TestPlatform.redirectURI] {
                let stolen = try await client.browser.token(
                    client.request, [("grant_type", "authorization_code"), ("code", login), ("redirect_uri", redirectURI)])
                #expect(stolen.isOAuthError(400, "invalid_grant"))
            }
            #expect(try await client.poll(second.device).isOAuthError(400, "authorization_pending"))
        }
    }
}
