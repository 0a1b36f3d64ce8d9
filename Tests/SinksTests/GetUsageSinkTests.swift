import Foundation
import Server
import Testing
import TestSupport

@Suite("Get usage sink")
struct GetUsageSinkTests {
    private static let url = "https://openmeter.example.com/api/v1/events"

    @Test("the sink is shown as it was created, without its secret, and is not found before and after")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let path = TestPlatform.sinkPath
            #expect(try await platform.call("GET", path).status == 404)
            let body = ["format": "cloudevents", "url": Self.url, "secret": TestPlatform.sinkSecret]
            let created = try await platform.call("POST", path, body)
            let shown = try await platform.call("GET", path)
            #expect(shown.status == 200)
            #expect(shown.json as NSDictionary == created.json as NSDictionary)
            #expect(shown.header("ETag") == created.header("ETag"))
            #expect(shown.json["has_secret"] as? Bool == true && !shown.body.contains(TestPlatform.sinkSecret))
            #expect(try await platform.call("DELETE", path).status == 204)
            #expect(try await platform.call("GET", path).problem == "not_found")
        }
    }

    @Test("a tenant's key and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = TestPlatform.sinkPath
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("GET", path, key: narrow).problem == "insufficient_scope")
        }
    }
}
