import Server
import TestSupport
import Testing

@Suite("Terminal metadata")
struct TerminalMetadataTests {
    @Test("both paths have the same document of the issuer of people")
    func documents() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let below = try await browser.get("\(TerminalPerson.issuer)/.well-known/oauth-authorization-server")
            let root = try await browser.get("\(TestPlatform.publicURL)/.well-known/oauth-authorization-server/account")
            #expect(below.status == 200 && below.body == root.body)
            #expect(below.string("issuer") == TerminalPerson.issuer)
            #expect(below.string("token_endpoint") == "\(TerminalPerson.issuer)/oauth2/token")
        }
    }
}
