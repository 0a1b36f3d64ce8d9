@testable import Access
import Foundation
import HTTPTypes
import Hummingbird
import NIOHTTP1
import Postgres
import Sealing
import Server
import TestSupport
import Testing

@Suite("Idempotency-Key")
struct IdempotencyTests {
    private static func issue(
        _ platform: TestPlatform, _ idempotencyKey: String, name: String = "New", key: String? = nil, headers: [(String, String)] = []
    ) async throws -> TestBrowser.Answer {
        try await platform.issue(name, key: key, headers: [("Idempotency-Key", idempotencyKey)] + headers)
    }

    private static func keys(_ platform: TestPlatform) async throws -> Int {
        try await platform.count("api_key", where: "name = 'New'")
    }

    private static func rows(_ platform: TestPlatform) async throws -> Int {
        try await platform.count("idempotency_key")
    }

    @Test("a repeated request gets the first response, including the secret, and is not carried out")
    func replay() async throws {
        try await TestPlatform.run { platform in
            let first = try await Self.issue(platform, "abc", headers: [("Request-Id", "first")])
            #expect(first.status == 201 && first.header("Idempotent-Replayed") == nil)
            let again = try await Self.issue(platform, "abc", headers: [("Request-Id", "again")])
            #expect(again.status == 201)
            #expect(again.body == first.body)
            #expect(again.header("Idempotent-Replayed") == "true")
            for name in ["Location", "ETag", "Content-Type", "Content-Length", "Cache-Control"] {
                #expect(again.header(name) != nil && again.header(name) == first.header(name))
            }
            #expect(again.headers["Request-Id"] == ["again"])
            #expect(again.header("RateLimit") != nil)
            #expect(try await Self.keys(platform) == 1)

            let row = try await platform.ownerPool.run("SELECT row_to_json(i)::text AS row, sealed_answer FROM idempotency_key i")
            #expect(row.count == 1)
            let bytes = try row[0].get("sealed_answer", as: [UInt8].self)
            let secret = try #require(first.string("secret"))
            #expect(!String(decoding: bytes, as: UTF8.self).contains(secret))
            #expect(try !row[0].get("row", as: String.self).contains("New"))
        }
    }

    @Test("another key, caller, method or path is another request, and another body is refused")
    func bound() async throws {
        try await TestPlatform.run { platform in
            let first = try await Self.issue(platform, "abc")
            #expect(try await Self.issue(platform, "abd").string("id") != first.string("id"))
            #expect(try await Self.issue(platform, "abc", key: platform.operatorKey).string("id") != first.string("id"))
            let elsewhere = try await platform.call(
                "POST", "/tenants/acme/api-keys?", key: platform.acme.api_keys[0].secret, ["name": "New", "scopes": ["tenants:read"]],
                headers: [("Idempotency-Key", "abc")])
            #expect(elsewhere.header("Idempotent-Replayed") == nil)
            #expect(try await Self.issue(platform, "abc", name: "Other").isProblem(422, "idempotency_key_reused"))
            #expect(try await Self.issue(platform, "abc").string("id") == first.string("id"))
            // Only POST supports the header.
            for _ in 0..<2 {
                let read = try await platform.call("GET", "/tenants/acme", headers: [("Idempotency-Key", "abc")])
                #expect(read.status == 200 && read.header("Idempotent-Replayed") == nil)
            }
        }
    }

    @Test("one of many concurrent requests is carried out, and the others get its response or a 409")
    func race() async throws {
        try await TestPlatform.run { platform in
            let answers = try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { tasks in
                for _ in 0..<24 { tasks.addTask { try await Self.issue(platform, "raced") } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(try await Self.keys(platform) == 1)
            #expect(answers.filter { $0.status == 201 && $0.header("Idempotent-Replayed") == nil }.count == 1)
            #expect(Set(answers.filter { $0.status == 201 }.map { $0.string("id") }).count == 1)
            for answer in answers where answer.status != 201 {
                #expect(answer.isProblem(409, "request_running"))
                #expect(answer.header("Retry-After") == "1")
            }
        }
    }

    @Test("a repetition is refused while the first request is in progress")
    func running() async throws {
        try await TestPlatform.run { platform in
            try await platform.ownerPool.transaction { db in
                // The first request waits before it can write its key.
                _ = try await db.run("LOCK TABLE api_key IN EXCLUSIVE MODE")
                async let first = Self.issue(platform, "slow")
                try await eventually("the first request has started") {
                    try await platform.count("idempotency_key") == 1
                }
                let second = try await Self.issue(platform, "slow")
                #expect(second.isProblem(409, "request_running") && second.header("Retry-After") == "1")
                #expect(try await Self.issue(platform, "slow", name: "Other").isProblem(422, "idempotency_key_reused"))
                _ = try await db.run("COMMIT")
                #expect(try await first.status == 201)
            }
            #expect(try await Self.issue(platform, "slow").header("Idempotent-Replayed") == "true")
        }
    }

    @Test("after a crash the lock expires and the request is carried out again, and after a day it is a new one")
    func abandoned() async throws {
        try await TestPlatform.run { platform in
            let first = try await Self.issue(platform, "dead")
            _ = try await platform.ownerPool.run("UPDATE idempotency_key SET sealed_answer = NULL")
            #expect(try await Self.issue(platform, "dead").isProblem(409, "request_running"))
            _ = try await platform.ownerPool.run("UPDATE idempotency_key SET locked_until = now()")
            #expect(try await Self.issue(platform, "dead", name: "Other").isProblem(422, "idempotency_key_reused"))
            let second = try await Self.issue(platform, "dead")
            #expect(second.status == 201 && second.string("id") != first.string("id"))
            #expect(try await Self.issue(platform, "dead").string("id") == second.string("id"))

            _ = try await platform.ownerPool.run("UPDATE idempotency_key SET created_at = created_at - interval '1 day'")
            let nextDay = try await Self.issue(platform, "dead", name: "Other")
            #expect(nextDay.status == 201 && nextDay.header("Idempotent-Replayed") == nil)
        }
    }

    @Test("a request whose lock expired does not overwrite the response of its successor")
    func fenced() async throws {
        try await TestPlatform.run { platform in
            let keyring = platform.settings.keyring
            let acme = try #require(ID<Tenant>(platform.acme.id))
            let key = try #require(
                try await Callers(database: PlatformDatabase(platform.pool), keyring: keyring).find(
                    secret: platform.acme.api_keys[0].secret, at: Date()))
            let database = OwnerDatabase(platform.pool, tenant: acme)
            func request(at now: Date) -> IdempotentRequest {
                IdempotentRequest(key: "k", method: "POST", path: "/", body: [1], by: Caller(key), keyring: keyring, at: now)
            }
            let (slow, fast) = (request(at: Date()), request(at: Date() + 61))
            guard case .mine = try await slow.take(in: database, keyring: keyring) else { throw CancellationError() }
            guard case .mine = try await fast.take(in: database, keyring: keyring) else { throw CancellationError() }
            try await slow.store(StoredAnswer(.init(status: .ok)), in: database, keyring: keyring)
            try await slow.free(in: database)
            guard case .running = try await request(at: Date()).take(in: database, keyring: keyring) else { throw CancellationError() }
            try await fast.store(StoredAnswer(.init(status: .created)), in: database, keyring: keyring)
            guard case .answered(let answer) = try await slow.take(in: database, keyring: keyring) else { throw CancellationError() }
            #expect(answer.response.status == .created)
        }
    }

    @Test("a refusal is stored, a server error and an untried request are not")
    func refusals() async throws {
        try await TestPlatform.run { platform in
            let refused = try await Self.issue(platform, "refused", name: "a\nb")
            #expect(refused.isProblem(400, "invalid"))
            let again = try await Self.issue(platform, "refused", name: "a\nb")
            #expect(again.body == refused.body && again.header("Idempotent-Replayed") == "true")
            #expect(again.header("Content-Type") == "application/problem+json")

            _ = try await platform.ownerPool.run("ALTER TABLE api_key ADD CONSTRAINT broken CHECK (name <> 'New') NOT VALID")
            #expect(try await Self.issue(platform, "failed").isProblem(500, "unexpected"))
            _ = try await platform.ownerPool.run("ALTER TABLE api_key DROP CONSTRAINT broken")
            #expect(try await Self.issue(platform, "failed").status == 201)

            func untyped(_ type: String) async throws -> Int {
                try await TestBrowser(platform).send(
                    "POST", "\(TestPlatform.publicURL)/v1/tenants/acme/api-keys",
                    headers: [
                        ("Authorization", "Bearer \(platform.acme.api_keys[0].secret)"), ("Idempotency-Key", "typed"),
                        ("Content-Type", type),
                    ],
                    body: #"{"name":"New","scopes":["tenants:read"]}"#
                ).status
            }
            #expect(try await untyped("text/plain") == 415)
            #expect(try await untyped("application/json") == 201)
        }
    }

    @Test("a key has 1 to 255 visible characters", arguments: ["", "a b", "é", "a\tb", String(repeating: "x", count: 256)])
    func insane(_ key: String) async throws {
        try await TestPlatform.run { platform in
            let refused = try await Self.issue(platform, key)
            #expect(refused.isProblem(400, "invalid") && refused.refusedFields == ["Idempotency-Key"])
            #expect(try await Self.rows(platform) == 0)
            #expect(try await Self.issue(platform, String(repeating: "~", count: 255)).status == 201)
        }
    }

    @Test("a caller without permission leaves no row, and a body over the limit is refused")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            let stranger = try await Self.issue(platform, "abc", key: platform.globex.api_keys[0].secret)
            #expect(stranger.status == 404)
            #expect(try await Self.issue(platform, "abc", key: "nonsense").status == 401)
            let headers = [("Idempotency-Key", "abc")]
            #expect(
                try await platform.call("POST", "/platform/api-keys", key: platform.acme.api_keys[0].secret, [:], headers: headers).status
                    == 403)
            let large = String(repeating: "x", count: 64 * 1024)
            #expect(try await Self.issue(platform, "large", name: large).isProblem(413, "too_large"))
            #expect(try await platform.issue(large).isProblem(413, "too_large"))
            #expect(try await Self.rows(platform) == 0)
        }
    }

    @Test("rows older than a day are deleted, and no others")
    func forgotten() async throws {
        try await TestPlatform.run { platform in
            _ = try await Self.issue(platform, "young")
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO idempotency_key SELECT gen_random_uuid(), gen_random_uuid(), '\\x00', '\\x00', now() - interval '25 hours',
                now() - interval '25 hours' FROM generate_series(1, 2500)
                """)
            try await IdempotentRequest.forgetOld(in: PlatformDatabase(platform.pool), at: Date())
            #expect(try await Self.rows(platform) == 1)
            #expect(try await Self.issue(platform, "young").header("Idempotent-Replayed") == "true")
        }
    }
}
