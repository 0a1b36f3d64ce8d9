import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

/// The people that an operation rejects according to its security in the spec, as `StrangerTests` for API keys.
@Suite("People without access")
struct PeopleStrangerTests {
    private let specification: Specification
    private let guarded: [Specification.Operation]

    init() throws {
        specification = try Specification()
        guarded = specification.operations.filter { $0.scopes != nil }
    }

    /// Sends input that would be rejected if it were read: a body that is not JSON, no `If-Match`.
    private func intrude(
        _ operation: Specification.Operation, _ path: String, _ secret: String, _ platform: TestPlatform
    ) async throws -> TestBrowser.Answer {
        var headers = [("Authorization", "Bearer \(secret)")]
        if operation.method != "GET" { headers.append(("Content-Type", "application/json")) }
        return try await TestBrowser(platform).send(
            operation.method, TestPlatform.publicURL + path, headers: headers, body: operation.method == "GET" ? nil : "{")
    }

    /// Returns the content of an error, except for the parts that differ per request.
    private func reported(_ answer: TestBrowser.Answer) -> [String: String] {
        answer.json.filter { !["request_id", "instance"].contains($0.key) }.mapValues { "\($0)" }
    }

    @Test("a session that has ended, was not used for 30 days, is 90 days old, or is a browser's gets 401")
    func sessions() async throws {
        try await TestPlatform.run { platform in
            let (things, people) = (try await Things(platform), PeopleCallers(platform))
            let acme = try #require(ID<Tenant>(platform.acme.id)).uuid
            var secrets: [(what: String, secret: String)] = []
            for (role, owner) in [(BuiltInRole.owner, acme), (.platformOperator, .platform)] {
                let ended = try await people.member("Ended", as: .builtIn(role), of: owner)
                _ = try await platform.ownerPool.run(
                    "UPDATE person_session SET ended_at = now(), ended_reason = 'ended' WHERE id = \(ended.id)")
                secrets += [
                    ("ended", ended.secret),
                    ("idle", try await people.member("Idle", as: .builtIn(role), of: owner, age: 31 * 86400).secret),
                    ("old", try await people.member("Old", as: .builtIn(role), of: owner, age: 91 * 86400).secret),
                    ("browser", try await people.member("Browser", as: .builtIn(role), of: owner, .browser).secret),
                ]
            }
            for operation in guarded {
                for (what, secret) in secrets {
                    let answer = try await intrude(operation, things.path(operation), secret, platform)
                    #expect(answer.status == 401, "\(operation) with \(what): \(answer.body)")
                    #expect(answer.json["code"] as? String == "unauthenticated")
                    #expect(specification.violations(answer, of: operation) == [], "\(operation)")
                }
            }
        }
    }

    @Test("an owner of another tenant, and a session for only that tenant, find neither the tenant nor the platform")
    func otherTenant() async throws {
        try await TestPlatform.run { platform in
            let (things, people) = (try await Things(platform), PeopleCallers(platform))
            let (acme, globex) = (
                try #require(ID<Tenant>(platform.acme.id)).uuid, try #require(ID<Tenant>(platform.globex.id)).uuid
            )
            let stranger = try await people.member("Other", as: .builtIn(.owner), of: globex)
            // The person is an owner of Acme and an operator, too. This session has the power of neither.
            let only = try await people.member(
                "Only", as: .builtIn(.owner), of: globex, onlyTenant: globex,
                others: [(.builtIn(.owner), acme), (.builtIn(.platformOperator), .platform)])
            // It acts for its own tenant.
            for secret in [stranger.secret, only.secret] {
                #expect(try await platform.call("GET", "/tenants/globex/members", key: secret).status == 200)
            }
            for operation in guarded where !operation.isForAnyKey {
                for secret in [stranger.secret, only.secret] {
                    let answer = try await intrude(operation, things.path(operation), secret, platform)
                    #expect(specification.violations(answer, of: operation) == [], "\(operation)")
                    guard operation.isForTenants else {
                        #expect(answer.status == 403 && answer.json["code"] as? String == "operator_required", "\(operation)")
                        continue
                    }
                    #expect(answer.status == 404, "\(operation): \(answer.body)")
                    for path in [things.path(operation, real: false), things.path(operation, tenant: "nobody")] {
                        let other = try await intrude(operation, path, secret, platform)
                        #expect(reported(other) == reported(answer), "\(operation) \(path)")
                    }
                }
            }
        }
    }

    @Test("a member whose role has every scope except the required one gets 403")
    func scopes() async throws {
        try await TestPlatform.run { platform in
            let (things, people) = (try await Things(platform), PeopleCallers(platform))
            let acme = try #require(ID<Tenant>(platform.acme.id)).uuid
            var secrets: [String: String] = [:]
            for scope in Set(guarded.flatMap { $0.scopes ?? [] }) { secrets[scope] = try await people.lacking(scope, in: acme) }
            for operation in guarded {
                for scope in operation.scopes ?? [] {
                    let answer = try await intrude(operation, things.path(operation), try #require(secrets[scope]), platform)
                    #expect(answer.status == 403, "\(operation) without \(scope): \(answer.body)")
                    let code = answer.json["code"] as? String
                    #expect(
                        operation.isForTenants || operation.isForAnyKey
                            ? ["insufficient_scope", "operator_required"].contains(code) : code == "operator_required")
                    #expect(specification.violations(answer, of: operation) == [], "\(operation)")
                }
            }
        }
    }

    @Test("a rejected person has changed nothing")
    func nothingHappened() async throws {
        try await TestPlatform.run { platform in
            let (things, people) = (try await Things(platform), PeopleCallers(platform))
            let globex = try #require(ID<Tenant>(platform.globex.id)).uuid
            let stranger = try await people.member("Other", as: .builtIn(.owner), of: globex)
            let idle = try await people.member("Idle", as: .builtIn(.platformOperator), of: .platform, age: 31 * 86400)
            let before = try await platform.count("audit_event")
            for operation in guarded where operation.method != "GET" {
                for secret in [idle.secret] + (operation.isForAnyKey ? [] : [stranger.secret]) {
                    for body in operation.bodies {
                        let answer = try await send(operation, things.path(operation), key: secret, body: body, platform)
                        #expect([401, 403, 404].contains(answer.status), "\(operation): \(answer.body)")
                    }
                }
            }
            #expect(try await platform.count("audit_event") == before)
        }
    }
}
