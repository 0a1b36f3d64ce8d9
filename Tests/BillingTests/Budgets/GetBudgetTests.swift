import Foundation
import Server
import Testing
import TestSupport

@Suite("Get budget")
struct GetBudgetTests {
    @Test("a budget is shown with its version and the use of the current month")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let (path, key) = ("/tenants/acme/budget", platform.acme.api_keys[0].secret)
            #expect(try await platform.call("GET", path, key: key).problem == "not_found")
            let set = try await platform.call("PUT", path, ["logins": 10])
            try await platform.append(Array(repeating: Date(), count: 5))
            try await platform.rollUp()
            let shown = try await platform.call("GET", path, key: key)
            #expect(shown.status == 200 && shown.header("ETag") == set.header("ETag"))
            #expect(shown.json["logins"] as? Int == 10 && shown.json["hard"] as? Bool == false)
            let current = try #require(shown.json["current"] as? [String: any Sendable])
            #expect((current["logins"] as? Int, current["percent"] as? Int) == (5, 50))
            // Another tenant's budget is its own.
            #expect(try await platform.call("GET", "/tenants/globex/budget").problem == "not_found")
        }
    }

    @Test("another tenant's key and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/budget"
            let answer = try await platform.call("PUT", path, ["logins": 10])
            #expect(answer.status == 200)
            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).problem == "not_found")
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).problem == "insufficient_scope")
        }
    }
}
