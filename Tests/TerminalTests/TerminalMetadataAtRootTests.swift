import Server
import TestSupport
import Testing

@Suite("Terminal metadata at root")
struct TerminalMetadataAtRootTests {
    @Test("the path of RFC 8414 has the document, which caches keep for an hour")
    func document() async throws {
        try await TestPlatform.run { platform in
            let root = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/.well-known/oauth-authorization-server/account")
            #expect(root.status == 200 && root.string("issuer") == TerminalPerson.issuer)
            #expect(root.header("Cache-Control") == "public, max-age=3600")
        }
    }
}
