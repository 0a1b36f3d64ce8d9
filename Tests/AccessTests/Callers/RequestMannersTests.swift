import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

/// The properties of every request and response of the REST API.
@Suite("Request manners")
struct RequestMannersTests {
    private static func send(
        _ platform: TestPlatform, _ method: String, _ path: String, _ body: String? = nil, type: String = "application/json"
    ) async throws -> TestBrowser.Answer {
        try await TestBrowser(platform).send(
            method, "\(TestPlatform.publicURL)\(path)",
            headers: [("Authorization", "Bearer \(platform.operatorKey)"), ("Content-Type", type), ("Request-Id", "mine")], body: body)
    }

    @Test("every response contains the request's ID, for any failure")
    func requestID() async throws {
        try await TestPlatform.run { platform in
            let keys = "/v1/tenants/acme/api-keys"
            for (status, answer) in [
                (200, try await Self.send(platform, "GET", "/v1/tenants/acme")),
                (404, try await Self.send(platform, "GET", "/v1/nothing")),
                (404, try await Self.send(platform, "GET", "/nothing")),
                (405, try await Self.send(platform, "PATCH", keys, "{}")),
                (400, try await Self.send(platform, "POST", keys, "{")),
                (413, try await Self.send(platform, "POST", keys, String(repeating: " ", count: 65 * 1024))),
                (415, try await Self.send(platform, "POST", keys, "a=b", type: "application/x-www-form-urlencoded")),
            ] {
                #expect(answer.status == status)
                #expect(answer.headers["Request-Id"] == ["mine"])
                guard status != 200 else { continue }
                #expect(answer.header("Content-Type") == "application/problem+json")
                #expect(answer.string("request_id") == "mine")
            }
        }
    }

    @Test("the refusal of a wrong method lists the right ones, and HEAD is GET without a body")
    func methods() async throws {
        try await TestPlatform.run { platform in
            let wrong = try await Self.send(platform, "DELETE", "/v1/tenants/acme/api-keys", "{}")
            #expect(wrong.isProblem(405, "method_not_allowed"))
            #expect(wrong.header("Allow") == "GET, HEAD, POST")
            #expect(try await Self.send(platform, "GET", "/v1/tenants/acme/api-keys/x/roll").header("Allow") == "POST")
            let (get, head) = (
                try await Self.send(platform, "GET", "/v1/platform/api-keys"),
                try await Self.send(platform, "HEAD", "/v1/platform/api-keys")
            )
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.header("Content-Length") == get.header("Content-Length"))
            #expect(head.header("Content-Type") == "application/json")
            for (path, status) in [("/v1/tenants/acme/api-keys/x/roll", 405), ("/v1/nothing", 404), ("/v1/tenants/nobody", 404)] {
                let refused = try await Self.send(platform, "HEAD", path)
                #expect(refused.status == status && refused.body.isEmpty)
                #expect(refused.headers["Request-Id"] == ["mine"])
            }
        }
    }

    @Test(
        "a body that is not a JSON object is refused with the reason and has no effect",
        arguments: [
            "", "null", "[]", "{", #"{"name": 1e400}"#, #"{"name": "\ud800"}"#, #"{"name": "a", "name": "b"}"#, "{\"name\": \"\u{0}\"}",
            String(repeating: "[", count: 60_000), String(repeating: #"{"name":"#, count: 8000),
            "{\"name\":\(String(repeating: "9", count: 60_000))}",
        ])
    func malformed(_ body: String) async throws {
        try await TestPlatform.run { platform in
            let answer = try await Self.send(platform, "POST", "/v1/tenants/acme/api-keys", body)
            #expect(answer.isProblem(400, "invalid"))
            #expect(answer.string("detail")?.contains("JSON") == true)
        }
    }

    @Test("values that no field accepts are refused with the name of the field")
    func values() async throws {
        try await TestPlatform.run { platform in
            for name in [#""\u0000""#, "123456789012345678901234567890", "1.5", "[\"a\"]", "{}", "true"] {
                let answer = try await Self.send(
                    platform, "POST", "/v1/tenants/acme/api-keys", "{\"name\": \(name), \"scopes\": [\"tenants:read\"]}")
                #expect(answer.isProblem(400, "invalid") && answer.refusedFields == ["name"], "\(name)")
            }
        }
    }

    @Test("behind trusted proxies the audit trail contains the caller's address, otherwise no forged one")
    func address() async throws {
        for (proxies, expected) in [(0, "127.0.0.1"), (1, "198.51.100.7"), (2, "192.0.2.1"), (3, "127.0.0.1")] {
            try await TestPlatform.run {
                $0.trustedProxies = proxies
            } _: { platform in
                let issued = try await platform.issue(headers: [("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-For", "198.51.100.7:4711")])
                let id = try #require(issued.string("id"))
                let address = try await platform.ownerPool.run("SELECT address FROM audit_event WHERE subject = \(id)")
                    .first { try $0.get("address", as: String.self) }
                #expect(address == expected)
            }
        }
    }
}
