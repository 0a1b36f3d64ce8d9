import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("Refused consent")
struct RefuseConsentTests {
    @Test("the application gets access_denied with its state; nothing is recorded, and the next sign-in asks again")
    func refused() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            _ = try await sso.signIn()
            let (page, request) = try await sso.ask(at: 2)
            #expect(try await sso.decide(.refuse, page).reports(request, "access_denied"))
            #expect(try await sso.platform.count("consent") == 0)
            #expect(try await sso.needsConsent(at: 2))
        }
    }

    @Test("a form of another browser or site is refused with a page")
    func forged() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            _ = try await sso.signIn()
            let page = try await sso.ask(at: 2).answer
            #expect(try await sso.elsewhere.decide(.refuse, page).isPage(400))
            #expect(try await sso.decide(.refuse, page, headers: [("Sec-Fetch-Site", "cross-site")]).isPage(400))
        }
    }
}
