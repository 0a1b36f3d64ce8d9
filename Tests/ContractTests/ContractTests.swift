import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Web

/// The spec is the contract: what it says is there, and nothing else is.
@Suite("Contract")
struct ContractTests {
    private func url(_ operation: Specification.Operation, _ platform: TestPlatform, tenant: String = "acme") -> String {
        TestPlatform.publicURL + operation.path.replacing("{tenant}", with: tenant)
    }

    private func call(_ operation: Specification.Operation, _ platform: TestPlatform, key: String?) async throws -> TestBrowser.Answer {
        try await TestBrowser(platform).send(
            operation.method, url(operation, platform), headers: key.map { [("Authorization", "Bearer \($0)")] } ?? [], body: nil)
    }

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
            for operation in operations { _ = try await call(operation, platform, key: platform.acme.api_keys[0].secret) }
            let metrics = platform.installation.metrics.text
            for operation in operations { #expect(metrics.contains("action=\"\(operation.id)\""), "\(operation.id)") }
        }
    }

    @Test("an operation with an API key refuses every stranger in the same words")
    func strangers() async throws {
        let specification = try Specification()
        let guarded = specification.operations.filter { $0.scopes != nil }
        #expect(guarded.count >= 2)
        // All others are named here: the list may only shrink.
        #expect(
            Set(specification.operations.filter { $0.scopes == nil }.map(\.id)) == [
                "appleCallback", "authorizationServerMetadata", "authorize", "authorizeByClient", "jwks", "openIDConfiguration",
                "sharedAppleCallback", "token", "userInfo", "userInfoByPost",
            ])
        try await TestPlatform.run { platform in
            let own = platform.acme.api_keys[0].secret
            let mistyped = String(own.dropLast()) + (own.last == "0" ? "1" : "0")
            let unknown = "esk_live_0123456789012345678901234567890rUOfi"
            _ = try await platform.ownerPool.run("UPDATE api_key SET revoked_at = now() WHERE name = 'Operator'")
            for operation in guarded {
                for key in [nil, "", "x", mistyped, unknown, platform.seeded.api_keys[0].secret] {
                    #expect(
                        try await call(operation, platform, key: key).status == 401,
                        "\(operation) with \(key == nil ? "no" : "a wrong") key")
                }
                #expect(try await call(operation, platform, key: platform.globex.api_keys[0].secret).status == 404, "\(operation)")
                #expect(try await call(operation, platform, key: own).status == 200, "\(operation)")
            }
            for operation in guarded where operation.scopes?.contains("tenants:read") == false {
                #expect(try await call(operation, platform, key: platform.acme.api_keys[1].secret).status == 403, "\(operation)")
            }
        }
    }

    @Test("every example fits its schema")
    func examples() throws {
        let specification = try Specification()
        var seen = 0
        for operation in specification.operations {
            for answer in specification.answers(of: operation) {
                guard let example = answer.example else { continue }
                seen += 1
                let violations = specification.violations(example, of: answer.schema)
                #expect(violations == [], "\(operation) \(answer.status)")
            }
        }
        #expect(seen > 10)
    }

    @Test("real answers fit their schemas, refusals included")
    func answers() async throws {
        let specification = try Specification()
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let request = TestBrowser.Request(platform.acme)
            let tokens = try await browser.tokens(request)
            let access = try #require(tokens["access_token"] as? String)
            for operation in specification.operations where operation.method == "GET" {
                for key in [platform.acme.api_keys[0].secret, access, "nonsense"] {
                    let answer = try await call(operation, platform, key: key)
                    guard answer.header("Content-Type")?.hasSuffix("json") == true else { continue }
                    let described = specification.answers(of: operation).filter { $0.status == "\(answer.status)" }
                    let value = try JSONSerialization.jsonObject(with: Data(answer.body.utf8))
                    let fits = described.contains { specification.violations(value, of: $0.schema).isEmpty }
                    #expect(fits, "\(operation) \(answer.status): \(answer.body)")
                }
            }
            let token = try #require(specification.operations.first { $0.id == "token" })
            let schema = try #require(specification.answers(of: token).first { $0.status == "200" }?.schema)
            #expect(specification.violations(tokens, of: schema) == [])
        }
    }

    @Test("a wrong method gets 405 with what is allowed, an unknown path 404, both as problems")
    func methods() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let wrong = try await browser.send("DELETE", "\(TestPlatform.publicURL)/v1/tenants/acme/usage", headers: [], body: nil)
            #expect(wrong.status == 405)
            #expect(wrong.header("Allow") == "GET")
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
