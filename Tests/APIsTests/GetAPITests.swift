import Access
import Foundation
import Server
import TestSupport
import Testing

@Suite("Get API")
struct GetAPITests {
    @Test("an API is read by its tenant only")
    func reads() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.call("POST", "/tenants/acme/apis", CreateAPITests.body)
            let read = try await platform.call("GET", "/tenants/acme/apis/\(made.resourceID)")
            #expect(read.status == 200 && read.body == made.body && read.header("ETag") == made.header("ETag"))
            for path in [
                "/tenants/globex/apis/\(made.resourceID)", "/tenants/acme/apis/api_00000000000000000000000000", "/tenants/acme/apis/x",
            ] {
                #expect(try await platform.call("GET", path).status == 404, "\(path)")
            }
            let stranger = platform.globex.api_keys[0].secret
            #expect(try await platform.call("GET", "/tenants/acme/apis/\(made.resourceID)", key: stranger).status == 404)
        }
    }
}
