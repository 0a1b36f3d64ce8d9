import Access
import Encoding
import Foundation
import NIOHTTP1
import Postgres
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing
import Users

/// A person answers a question of a page before the application gets its code. The same form again gets another code of the same login.
@Suite("Several codes of one login")
struct CodesOfOneLoginTests {
    private struct Login {
        let platform: TestPlatform
        let browser: TestBrowser
        let request: TestBrowser.Request
        let waiting: AuthorizationCode

        /// A code of a form that was sent some seconds ago.
        func code(_ age: TimeInterval) -> String {
            waiting.issued(at: Date(timeIntervalSinceNow: -age)).sealed(with: platform.settings.keyring)
        }

        /// Whether a code gets tokens.
        func redeems(_ code: String) async throws -> TestBrowser.Answer? {
            let answer = try await browser.redeem(code, request)
            #expect(answer.status == 200 || answer.isOAuthError(400, "invalid_grant"), "\(answer.status) \(answer.body)")
            return answer.status == 200 ? answer : nil
        }

        func lasts(_ tokens: TestBrowser.Answer) async throws -> Bool {
            try await browser.userInfo(tokens.string("access_token"), of: platform.acme).status == 200
        }
    }

    private static func run(_ body: @Sendable @escaping (Login) async throws -> Void) async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            _ = try await browser.code(request)
            let user = try await platform.ownerPool.run("SELECT id FROM tenant_user")[0].get("id", as: ID<User>.self)
            let acme = try await platform.configuration(of: platform.acme)
            let asked = try AuthorizationRequest(
                try Form(String(request.authorizeURL.split(separator: "?")[1])), from: acme.applications, issuer: platform.acme.issuer)
            let admittedAt = Date(timeIntervalSinceNow: -300)
            let waiting = AuthorizationCode(
                login: ID(at: admittedAt), tenant: acme.tenant.id, application: asked.application.id, user: user, connection: .own,
                redirectURI: request.redirectURI, codeChallenge: asked.codeChallenge, nonce: asked.nonce, scope: asked.scope,
                authenticatedAt: admittedAt, device: Device(), at: admittedAt)
            try await body(Login(platform: platform, browser: browser, request: request, waiting: waiting))
        }
    }

    @Test("a second code of a form gets nothing and ends nothing; the same code again ends the session")
    func second() async throws {
        try await Self.run { login in
            let (one, two) = (login.code(2), login.code(1))
            let tokens = try #require(try await login.redeems(one))
            for _ in 0..<2 { #expect(try await login.redeems(two) == nil) }
            #expect(try await login.lasts(tokens))
            #expect(try await login.platform.count("audit_event") == 0)
            #expect(try await login.redeems(one) == nil)
            #expect(try await !login.lasts(tokens))
            #expect(try await login.platform.count("session", where: "ended_reason = 'code_replayed'") == 1)
            #expect(try await login.platform.countBilled() == 1)
        }
    }

    @Test("a second code ends the session 30 s after its start, because another party has it", arguments: [0.0, 70.0])
    func late(age: TimeInterval) async throws {
        try await Self.run { login in
            let tokens = try #require(try await login.redeems(login.code(1)))
            _ = try await login.platform.ownerPool.run("UPDATE session SET created_at = created_at - interval '31 seconds'")
            #expect(try await login.redeems(login.code(age)) == nil)
            #expect(try await !login.lasts(tokens))
        }
    }

    @Test("an expired code of a form does not stop the next one, and does not end its session")
    func expired() async throws {
        try await Self.run { login in
            let old = login.code(61)
            #expect(try await login.redeems(old) == nil)
            let next = login.code(0)
            let tokens = try #require(try await login.redeems(next))
            for expired in [old, login.code(90)] { #expect(try await login.redeems(expired) == nil) }
            #expect(try await login.lasts(tokens))
            // The same code, after its end.
            let row = try await login.platform.ownerPool.run(
                "UPDATE session SET code_issued_at = code_issued_at - interval '2 minutes' RETURNING code_issued_at")[0]
            let same = login.waiting.issued(at: try row.get("code_issued_at")).sealed(with: login.platform.settings.keyring)
            #expect(try await login.redeems(same) == nil)
            #expect(try await !login.lasts(tokens))
        }
    }

    @Test("of concurrent codes one gets tokens, which last")
    func concurrent() async throws {
        try await Self.run { login in
            let codes = (0..<6).map { login.code(Double($0)) }
            let answers = try await withThrowingTaskGroup(of: TestBrowser.Answer?.self) { tasks in
                for code in codes { tasks.addTask { try await login.redeems(code) } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            let tokens = answers.compactMap { $0 }
            #expect(tokens.count == 1)
            #expect(try await login.lasts(try #require(tokens.first)))
            #expect(try await login.platform.countBilled() == 1)
        }
    }
}
