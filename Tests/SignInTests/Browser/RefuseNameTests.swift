import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

@Suite("A sign-in without the name that an application requires")
struct RefuseNameTests {
    @Test("Cancel returns access_denied with the state; nothing is saved, and the next sign-in asks again")
    func refused() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request, person: "Nemo")
            // A name in the fields has no effect.
            #expect(try await browser.give("Ada", on: page, path: "/refusal").reports(request, "access_denied"))
            #expect(try await platform.countNameless() == 1)
            #expect(try await platform.count("session") == 0)
            // The person may also go back, and enter the name.
            #expect(try await browser.give("Ada", on: page)["code"] != nil)
            let other = TestBrowser.Request(platform.acme)
            _ = try await platform.ownerPool.run("UPDATE tenant_user SET given_name = NULL")
            #expect(try await browser.signInWithoutName(other, person: "Nemo").asksForName(setsCookies: true))
        }
    }

    @Test("a form of another browser or site is refused with a page")
    func forged() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request)
            #expect(try await TestBrowser(platform).give("", on: page, path: "/refusal").isPage(400))
            let headers = [("Sec-Fetch-Site", "cross-site")]
            #expect(try await browser.give("", on: page, path: "/refusal", headers: headers).isPage(400))
        }
    }
}
