import Server
import Testing
import TestSupport

@Suite("Unoffered features")
struct UnofferedFeatureTests {
    @Test("a feature of WorkOS that is not offered gets 404 with its name; another unknown path gets a problem")
    func features() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            for (method, path, name) in [
                ("POST", "/user_management/magic_auth", "Magic Auth"), ("GET", "/user_management/invitations/x", "Invitations"),
                ("POST", "/user_management/nothing", "User Management"), ("GET", "/sso/authorize", "Single sign-on"),
                ("GET", "/connections", "Single sign-on"), ("GET", "/directories", "Directory sync"),
                ("POST", "/auth/factors/enroll", "Multi-factor"), ("POST", "/user_management/authorize", "User Management"),
            ] {
                let answer = try await browser.send(method, TestPlatform.publicURL + path, headers: [], body: nil)
                #expect(answer.isError(404, "feature_not_offered"), "\(path): \(answer.body)")
                #expect(answer.string("message")?.contains(name) == true, "\(path)")
            }
            #expect(try await browser.get("\(TestPlatform.publicURL)/nothing").string("code") == "not_found")
        }
    }
}
