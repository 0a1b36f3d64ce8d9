import Foundation
import Server
import TestSupport
import Testing
import Web

/// The spec is the contract: what it says is there, and nothing else is.
@Suite("Contract")
struct ContractTests {
    @Test("every route is in the spec, and every operation of the spec is a route")
    func bothWays() async throws {
        let specification = try Specification()
        try await TestPlatform.run { platform in
            let routes = Set(platform.installation.routes.map { "\($0.method) \($0.path)" })
            let operations = Set(specification.operations.map { "\($0.method) \($0.path)" })
            #expect(routes.subtracting(operations) == [])
            #expect(operations.subtracting(routes) == [])
        }
    }

    @Test("an action's label in the metrics is its operationId")
    func names() async throws {
        let operations = try Specification().operations
        try await TestPlatform.run { platform in
            let things = try await Things(platform)
            for operation in operations {
                // Refused by the action itself: what is asked for is not there, or the body is empty.
                _ = try await TestBrowser(platform).send(
                    operation.method, TestPlatform.publicURL + things.path(operation, real: false),
                    headers: [("Authorization", "Bearer \(platform.seeded.api_keys[0].secret)")], body: nil)
            }
            let metrics = platform.installation.metrics.text
            for operation in operations { #expect(metrics.contains("action=\"\(operation.id)\""), "\(operation)") }
        }
    }

    @Test("a wrong method gets 405 with what is allowed, an unknown path 404, both as problems")
    func methods() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let wrong = try await browser.send("DELETE", "\(TestPlatform.publicURL)/v1/tenants/acme/usage", headers: [], body: nil)
            #expect(wrong.status == 405)
            #expect(wrong.header("Allow")?.components(separatedBy: ", ").filter { $0 != "HEAD" } == ["GET"])
            #expect(wrong.json["code"] as? String == "method_not_allowed")
            let unknown = try await browser.get("\(TestPlatform.publicURL)/v1/nothing")
            #expect(unknown.status == 404)
            #expect(unknown.header("Content-Type") == "application/problem+json")
        }
    }

    @Test("a request id is kept when it is sane, and made when it is not")
    func requestID() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let url = "\(TestPlatform.publicURL)/t/acme/oauth2/jwks"
            let kept = try await browser.get(url, headers: [("Request-Id", "abc-123_x.y")])
            #expect(kept.header("Request-Id") == "abc-123_x.y")
            for insane in ["a b", "é", String(repeating: "x", count: 129), "a\"b"] {
                let made = try await browser.get(url, headers: [("Request-Id", insane)])
                #expect(made.header("Request-Id")?.hasPrefix("req_") == true)
            }
        }
    }
}
