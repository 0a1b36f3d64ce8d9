import Foundation
import Server
import TestSupport
import Testing
import Web

/// The spec is the contract: all of it exists, and nothing else exists.
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

    @Test("every route's action is the operationId of its operation")
    func actions() async throws {
        let operations = try Specification().operations
        try await TestPlatform.run { platform in
            let routes = Dictionary(platform.installation.routes.map { ("\($0.method) \($0.path)", $0.action) }, uniquingKeysWith: { $1 })
            for operation in operations { #expect(routes["\(operation.method) \(operation.path)"] == operation.id, "\(operation)") }
            #expect(Set(routes.values).count == operations.count)
        }
    }

    @Test("an action's label in the metrics is its operationId, with and without a key; no path becomes a label")
    func names() async throws {
        let operations = try Specification().operations
        for key in [nil, "operator"] {
            try await TestPlatform.run { platform in
                let things = try await Things(platform)
                let headers = key == nil ? [] : [("Authorization", "Bearer \(platform.seeded.api_keys[0].secret)")]
                for operation in operations {
                    // Without a key, the request is rejected before the action. With a key, the action rejects it because the
                    // object or the body is missing.
                    _ = try await TestBrowser(platform).send(
                        operation.method, TestPlatform.publicURL + things.path(operation, real: false), headers: headers, body: nil)
                }
                for path in [
                    "/", "/NotFound", "/v1", "/v1/tenants/acme/nothing", "/t/acme/oauth2", "/t/acme/oauth2/token%22", "/%7Btenant%7D",
                ] {
                    for method in ["GET", "PATCH", "OPTIONS", "BREW"] {
                        _ = try await TestBrowser(platform).send(method, TestPlatform.publicURL + path, headers: headers, body: nil)
                    }
                }
                _ = try await TestBrowser(platform).send(
                    "OPTIONS", "\(TestPlatform.publicURL)/t/acme/oauth2/token",
                    headers: [("Origin", "https://app.test"), ("Access-Control-Request-Method", "POST")], body: nil)
                let metrics = platform.installation.metrics.text
                let labels = Set(metrics.matches(of: /action="([^"]*)"/).map { String($0.1) })
                #expect(labels == Set(operations.map(\.id)).union(["none"]), "\(key ?? "no key")")
            }
        }
    }

    @Test("a wrong method gets 405 with the allowed methods, an unknown path gets 404, both as problems")
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

    @Test("a valid request ID is echoed, and another one is replaced")
    func requestID() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let url = "\(TestPlatform.publicURL)/t/acme/oauth2/jwks"
            let echoed = try await browser.get(url, headers: [("Request-Id", "abc-123_x.y")])
            #expect(echoed.header("Request-Id") == "abc-123_x.y")
            for insane in ["a b", "é", String(repeating: "x", count: 129), "a\"b"] {
                let made = try await browser.get(url, headers: [("Request-Id", insane)])
                #expect(made.header("Request-Id")?.hasPrefix("req_") == true)
            }
        }
    }
}
