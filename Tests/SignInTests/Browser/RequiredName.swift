import NIOHTTP1
import Server
import Tenancy
import TestSupport
import Testing

/// Acme's first application, which requires a name.
enum RequiredName {
    static func run(
        _ settings: [String: any Sendable] = [:],
        _ body: @Sendable @escaping (TestPlatform, TestBrowser, TestBrowser.Request) async throws -> Void
    ) async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let all = settings.merging(["requires_name": true]) { $1 }
            let path = "/tenants/acme/applications/\(request.application.client_id)"
            #expect(try await platform.call("PATCH", path, all).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            try await body(platform, TestBrowser(platform), request)
        }
    }
}

extension TestPlatform {
    /// The number of users without a name.
    func countNameless() async throws -> Int {
        try await count("tenant_user", where: "given_name IS NULL AND family_name IS NULL")
    }
}
