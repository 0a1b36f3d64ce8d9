import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

/// An unauthenticated caller must not cause load on the database (OWASP ASVS 2.4.1; RFC 6819, section 4.4.1.11).
@Suite("Attack: load without credentials")
struct UnauthenticatedLoadTests {
    /// An unknown slug, and an unknown client ID at the endpoints that have only the client ID. The last three are the interfaces of other
    /// products.
    private static func guesses(_ name: String, _ id: String) -> [String] {
        [
            "\(TestPlatform.publicURL)/t/\(name)/oauth2/jwks", "\(TestPlatform.publicURL)/t/\(name)/oauth2/authorize?client_id=app_\(id)",
            "\(TestPlatform.publicURL)/auth/apple/authorize?client_id=app_\(id)",
            "\(TestPlatform.publicURL)/user_management/authorize?client_id=client_\(id)",
            "\(TestPlatform.publicURL)/sso/jwks/client_\(id)", "\(TestPlatform.publicURL)/t/\(name)/mushu/app_\(id)/users/me",
        ]
    }

    /// 26 characters, as in IDs.
    private static func id(_ number: Int) -> String {
        let digits = String(number)
        return "01jd8x3v6q" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Runs the body while no other session can read these tables. A statement that reads them waits for its lock, and the
    /// request gets 503.
    private static func locking<R: Sendable>(
        _ tables: String, of platform: TestPlatform, _ body: @Sendable () async throws -> R
    ) async throws -> R {
        try await platform.ownerPool.transaction { db in
            _ = try await db.run("SET LOCAL idle_in_transaction_session_timeout = 0")
            _ = try await db.run(SQL(unsafe: "LOCK TABLE \(tables) IN ACCESS EXCLUSIVE MODE"))
            return try await body()
        }
    }

    /// Waits until the server knows both tenants and has received every notification so far.
    /// - Parameter name: A Services ID that the tenants do not have yet.
    private static func settle(_ platform: TestPlatform, _ name: String = "com.example.new") async throws {
        let browser = TestBrowser(platform)
        for tenant in [platform.acme, platform.globex] { #expect(try await browser.get("\(tenant.issuer)/oauth2/jwks").status == 200) }
        _ = try await platform.ownerPool.run("UPDATE connection SET services_id = \(name) WHERE team_id = \(platform.own.team)")
        try await eventually("the change is in effect") {
            try await browser.authorize(.init(platform.acme))["client_id"] == name
        }
    }

    @Test("an unknown slug or client ID costs one statement on one table, and only once")
    func unknownNames() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            try await Self.settle(platform)
            try await Self.locking("connection, apple_key, application_secret, budget", of: platform) {
                for url in Self.guesses("nobody", Self.id(1)) {
                    let answer = try await browser.get(url)
                    #expect((400..<500).contains(answer.status), "\(url): \(answer.status)")
                }
            }
            // The server knows it by now. Another tenant's change does not cause a new look-up of a slug, although it may have
            // added the application.
            #expect(try await platform.call("PATCH", "/tenants/acme", ["name": "Acme!"]).status == 200)
            try await Self.settle(platform, "com.example.newer")
            #expect(try await browser.get(Self.guesses("nobody", Self.id(1))[2]).status == 400)
            try await Self.locking("tenant, application", of: platform) {
                // Few requests, so that they end within the minute for which the server remembers unknown names.
                for _ in 1...10 {
                    for url in Self.guesses("nobody", Self.id(1)) {
                        let answer = try await browser.get(url)
                        #expect((400..<500).contains(answer.status), "\(url): \(answer.status)")
                    }
                }
            }
        }
    }

    @Test("600 requests with unknown names: an address that has used up its limit reaches no table")
    func guessing() async throws {
        try await TestPlatform.run {
            // One failure a minute.
            $0.apiRequestsPerMinute = 10
        } _: { platform in
            let browser = TestBrowser(platform)
            try await Self.useUp(browser)
            let started = ContinuousClock.now
            let others = try await Self.locking("tenant, application, api_key", of: platform) {
                var others: [String] = []
                for number in 1...100 {
                    for url in Self.guesses("guess-\(number)", Self.id(number)) {
                        let answer = try await browser.get(url)
                        if answer.status != 429 { others.append("\(url): \(answer.status)") }
                    }
                }
                return others
            }
            // The limit returns one request per minute.
            let minutes = Int(started.duration(to: .now) / .seconds(60))
            #expect(others.count <= minutes, "\(others)")
        }
    }

    @Test("parallel requests with different unknown names reach tables at most as often as the address has tokens, even in an outage")
    func racing() async throws {
        try await TestPlatform.run {
            // Five failures per minute.
            $0.apiRequestsPerMinute = 50
        } _: { platform in
            try await Self.settle(platform)
            let started = ContinuousClock.now
            let statuses = try await Self.locking("tenant, application, api_key", of: platform) {
                var statuses: [Int] = []
                // The look-ups of the first wave fail, because they wait too long for their locks.
                for wave in 0...1 {
                    statuses += try await withThrowingTaskGroup(of: Int.self) { group in
                        for number in (wave * 50)..<(wave * 50 + 50) {
                            group.addTask { try await Self.guess(number, platform) }
                        }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                }
                return statuses
            }
            let refilled = Int(started.duration(to: .now) / .seconds(12)) + 1
            let reached = statuses.filter { $0 != 429 }
            #expect(reached.allSatisfy { $0 == 503 }, "\(reached)")
            #expect((1...(5 + refilled)).contains(reached.count), "\(reached.count) after \(refilled)")
        }
    }

    /// Returns a name that nobody has: a slug, a client ID or an API key.
    private static func guess(_ number: Int, _ platform: TestPlatform) async throws -> Int {
        let urls = guesses("race-\(number)", id(number))
        return try await TestBrowser(platform).get(urls[number % urls.count]).status
    }

    /// Fails until the address has used up its limit.
    private static func useUp(_ browser: TestBrowser) async throws {
        try await eventually("the limit is used up") {
            try await browser.get("\(TestPlatform.publicURL)/t/nobody/oauth2/jwks").status == 429
        }
    }

    @Test("each endpoint rejects in its own format, with Retry-After and the remaining limit")
    func forms() async throws {
        try await TestPlatform.run {
            $0.apiRequestsPerMinute = 10
        } _: { platform in
            let (browser, issuer) = (TestBrowser(platform), platform.acme.issuer)
            try await Self.useUp(browser)
            func expect(_ answer: TestBrowser.Answer, _ type: String, _ what: String) {
                #expect(answer.status == 429, "\(what): \(answer.status)")
                #expect(answer.header("Content-Type")?.hasPrefix(type) == true, "\(what)")
                #expect((1...60).contains(Int(answer.header("Retry-After") ?? "") ?? 0), "\(what)")
                #expect(answer.header("RateLimit-Policy") == "\"address\";q=1;w=60", "\(what)")
                #expect(answer.header("RateLimit")?.hasPrefix("\"address\";r=0;t=") == true, "\(what)")
            }
            for url in [
                "\(issuer)/oauth2/authorize?client_id=x", "\(TestPlatform.publicURL)/t/other/oauth2/authorize",
                "\(issuer)/oauth2/logout?state=%",
            ] {
                expect(try await browser.get(url), "text/html", url)
            }
            expect(try await browser.post(platform.acme.return_url, form: [("state", "x")]), "text/html", "callback")
            for (path, form) in [
                ("token", [("grant_type", "authorization_code"), ("client_id", "x")]), ("introspect", [("token", "x")]),
                ("revoke", [("token", "x")]), ("userinfo", [("access_token", "x")]),
            ] {
                let answer = try await browser.post("\(issuer)/oauth2/\(path)", form: form)
                expect(answer, "application/json", path)
                #expect(answer.json["error"] as? String == "temporarily_unavailable", "\(path)")
            }
            let callback = try await browser.send(
                "POST", platform.acme.return_url, headers: [("Content-Type", "application/json")], body: #"{"id_token": "x"}"#)
            expect(callback, "application/json", "native callback")
            for url in [
                "\(TestPlatform.publicURL)/t/other/oauth2/jwks", "\(TestPlatform.publicURL)/t/other/.well-known/openid-configuration",
            ] {
                let answer = try await browser.get(url)
                expect(answer, "application/problem+json", url)
                #expect(answer.json["code"] as? String == "rate_limited")
            }
            let notification = try await browser.send(
                "POST", "\(issuer)/auth/apple/notifications", headers: [("Content-Type", "application/json")], body: #"{"payload": "x"}"#)
            expect(notification, "application/problem+json", "notification")

            let root = "\(TestPlatform.publicURL)/user_management"
            for url in ["\(root)/authorize?client_id=client_x", "\(root)/sessions/logout?session_id=x"] {
                expect(try await browser.get(url), "text/html", url)
            }
            let authenticate = try await browser.post("\(root)/authenticate", form: [("grant_type", "refresh_token"), ("client_id", "x")])
            expect(authenticate, "application/json", "authenticate")
            #expect(authenticate.json["error"] as? String == "temporarily_unavailable")
            let jwks = try await browser.get("\(TestPlatform.publicURL)/sso/jwks/client_x")
            expect(jwks, "application/json", "sso/jwks")
            #expect(jwks.json["code"] as? String == "rate_limited" && jwks.json["message"] is String)
            let mushu = "\(issuer)/mushu/\(platform.acme.applications[1].client_id)"
            for path in ["users/me", "auth/validate"] {
                let answer = try await browser.get("\(mushu)/\(path)", headers: [("Authorization", "Bearer x")])
                expect(answer, "application/json", path)
                #expect(answer.json["detail"] is String, "\(path)")
            }
            let refresh = try await browser.send(
                "POST", "\(mushu)/auth/refresh", headers: [("Content-Type", "application/json")],
                body: #"{"access_token": "x", "refresh_token": "y"}"#)
            expect(refresh, "application/json", "mushu refresh")
        }
    }

    @Test("a login, a refresh and a valid token succeed despite any number of guesses from the same address")
    func neighbor() async throws {
        try await TestPlatform.run {
            $0.apiRequestsPerMinute = 10
        } _: { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            var tokens = try await browser.signedIn(request)
            try await Self.useUp(browser)
            for _ in 1...5 {
                #expect(try await browser.signedIn(request).status == 200)
                tokens = try await browser.refresh(tokens.refreshToken, request)
                #expect(tokens.status == 200)
                #expect(try await browser.isTaken(tokens.accessToken, at: platform.acme))
            }
        }
    }

    @Test("an application that authenticated with its secret is not charged for ended tokens")
    func ownServer() async throws {
        try await TestPlatform.run {
            $0.apiRequestsPerMinute = 10
        } _: { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            _ = try await browser.signedIn(request)
            for _ in 1...10 {
                #expect(try await browser.refresh("ert_ended", request).refuses("invalid_grant"))
                #expect(try await browser.redeem("no-code", request).refuses("invalid_grant"))
            }
            // The address still has its whole limit.
            #expect(try await browser.get("\(TestPlatform.publicURL)/t/nobody/oauth2/jwks").status == 404)
        }
    }

    /// The requests that the holder of an ended session can repeat.
    private enum Replay: CaseIterable {
        case code, refreshToken, userInfo, deletion, revocation, logout
    }

    @Test("a code, a token or a hint of an ended session costs statements once; a repetition gets the same response without one")
    func spent() async throws {
        try await TestPlatform.run { platform in
            let (browser, request, issuer) = (TestBrowser(platform), TestBrowser.Request(platform.acme), platform.acme.issuer)
            let code = try await browser.stolenCode(request)
            let tokens = try await browser.redeem(code, request)
            let bearer = [("Authorization", "Bearer \(tokens.accessToken)")]
            @Sendable func send(_ replay: Replay) async throws -> TestBrowser.Answer {
                switch replay {
                case .code: try await browser.redeem(code, request)
                case .refreshToken: try await browser.refresh(tokens.refreshToken, request)
                case .userInfo: try await browser.get("\(issuer)/oauth2/userinfo", headers: bearer)
                case .deletion: try await browser.send("DELETE", "\(issuer)/users/me", headers: bearer, body: nil)
                case .revocation:
                    try await browser.post(
                        "\(issuer)/oauth2/revoke",
                        form: [
                            ("token", tokens.refreshToken), ("client_id", request.application.client_id),
                            ("client_secret", request.application.client_secret ?? ""),
                        ])
                case .logout: try await browser.get("\(issuer)/oauth2/logout?id_token_hint=\(tokens.idToken)")
                }
            }
            var answers: [(replay: Replay, status: Int, error: String?)] = []
            // The first, the code, ends the session.
            for replay in Replay.allCases {
                let answer = try await send(replay)
                answers.append((replay, answer.status, answer.json["error"] as? String))
            }
            #expect(answers.map(\.status) == [400, 400, 401, 401, 200, 200])
            try await Self.locking("session, tenant_user, usage_arrival, audit_event", of: platform) { [answers] in
                for expected in answers {
                    let answer = try await send(expected.replay)
                    #expect(answer.status == expected.status && answer.json["error"] as? String == expected.error, "\(expected.replay)")
                }
            }
            // Another session's credential is not rejected, and its end is not skipped.
            let other = try await browser.signedIn(request)
            #expect(try await browser.isTaken(other.accessToken, at: platform.acme))
            #expect(try await browser.get("\(issuer)/oauth2/logout?id_token_hint=\(other.idToken)").status == 200)
            #expect(try await !browser.isTaken(other.accessToken, at: platform.acme))
        }
    }

    @Test(
        "a preflight or a wrong method for a missing tenant is also charged, and gets 429 when nothing is left",
        arguments: ["OPTIONS", "DELETE"], ["one", "no_slug"])
    func preflights(_ method: String, _ slug: String) async throws {
        try await TestPlatform.run {
            // One failure per minute.
            $0.apiRequestsPerMinute = 10
        } _: { platform in
            let browser = TestBrowser(platform)
            func send(_ slug: String, _ method: String) async throws -> TestBrowser.Answer {
                try await browser.send(
                    method, "\(TestPlatform.publicURL)/t/\(slug)/oauth2/token",
                    headers: [("Origin", "https://app.test"), ("Access-Control-Request-Method", "POST")], body: nil)
            }
            let started = ContinuousClock.now
            let (first, second) = (try await send(slug, method), try await send("\(slug)2", method))
            let next = try await browser.get("\(TestPlatform.publicURL)/t/three/oauth2/jwks")
            // The limit returns one request per minute.
            guard started.duration(to: .now) < .seconds(60) else { return }
            #expect(first.status == 405)
            #expect(second.status == 429 && second.json["code"] as? String == "rate_limited", "\(second.status)")
            #expect(second.header("Retry-After") != nil)
            #expect(next.status == 429)
        }
    }
}
