import Access
import Foundation
import NIOHTTP1
import Postgres
import Sealing
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// The profile that the callback saves, and its source.
@Suite("Profile")
struct ProfileTests {
    private static func user(_ given: String?, _ family: String?, email: String = "eve@evil.test") throws -> String {
        var name: [String: String] = [:]
        (name["firstName"], name["lastName"]) = (given, family)
        return String(decoding: try JSONSerialization.data(withJSONObject: ["name": name, "email": email] as [String: Any]), as: UTF8.self)
    }

    /// A complete login. `change` modifies Apple's form in the browser.
    private static func login(
        _ platform: TestPlatform, person: String, _ change: (inout TestBrowser.AppleForm) throws -> Void = { _ in }
    ) async throws -> [String: any Sendable] {
        let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
        var form = try await browser.atApple(try await browser.authorize(request), person: person)
        try change(&form)
        let code = try #require(try await browser.callback(form)["code"])
        return try claims(of: try await browser.redeem(code, request).string("id_token"))
    }

    @Test("the name is saved at the callback, even if the code is never redeemed")
    func savedUnredeemed() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            _ = try await browser.code(.init(platform.acme), person: "Grace Hopper")
            #expect(try await platform.count("tenant_user", where: "given_name = 'Grace' AND family_name = 'Hopper'") == 1)
            #expect(try await platform.count("session") == 0)
            let later = try await Self.login(platform, person: "Grace Hopper") { form in #expect(form["user"] == nil) }
            #expect(later["name"] as? String == "Grace Hopper")
        }
    }

    @Test("the name is saved even if Apple's token endpoint is down at that moment")
    func savedWithoutAppleTokens() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            try await platform.simulator.fault([
                "endpoint": "token", "fault": "status", "status": 500, "client_id": platform.own.servicesID, "times": 1,
            ])
            let answer = try await browser.signIn(request, person: "Grace Hopper")
            #expect(answer.reports(request, "temporarily_unavailable"))
            let later = try await Self.login(platform, person: "Grace Hopper") { form in #expect(form["user"] == nil) }
            #expect(later["name"] as? String == "Grace Hopper")
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("a name with an altered or another person's id_token is not saved")
    func savedForNobody() async throws {
        try await TestPlatform.run { platform in
            let other = TestBrowser(platform)
            let foreign = try await other.atApple(try await other.authorize(.init(platform.acme)), person: "Alan Turing")["id_token"]
            for change in ["foreign", "altered", "none"] {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                var form = try await browser.atApple(try await browser.authorize(request), person: "new")
                form["user"] = try Self.user("Eve", "Evil")
                switch change {
                case "foreign": form["id_token"] = foreign
                case "altered": form["id_token"] = form["id_token"].map { String($0.dropLast(100)) + $0.suffix(100).lowercased() }
                default: form["id_token"] = nil
                }
                #expect(try await browser.callback(form).reports(request, "server_error"))
                #expect(try await platform.count("tenant_user") == 0, "\(change)")
            }
        }
    }

    @Test("a later POST neither overwrites nor completes a known name")
    func notOverwritten() async throws {
        try await TestPlatform.run { platform in
            let cases: [(String, String?, String?)] = [
                ("Grace Hopper", "Grace", "Hopper"), ("Madonna", "Madonna", nil), ("Plato X", nil, "X"),
            ]
            for (person, given, family) in cases {
                _ = try await Self.login(platform, person: person) { $0["user"] = try Self.user(given, family) }
                let later = try await Self.login(platform, person: person) { $0["user"] = try Self.user("Eve", "Evil") }
                #expect(later["given_name"] as? String == given, "\(person)")
                #expect(later["family_name"] as? String == family, "\(person)")
            }
        }
    }

    @Test("a user whose first sign-in had no name gets the one of a later consent, once, and for good")
    func givenLater() async throws {
        try await TestPlatform.run { platform in
            let first = try await Self.login(platform, person: "Nemo") { $0["user"] = nil }
            #expect(first["name"] == nil)
            _ = try await platform.ownerPool.run(
                "UPDATE tenant_user SET created_at = created_at - interval '1 hour', updated_at = updated_at - interval '1 hour'")
            // A form without a name, and one with nothing that can be seen.
            for user in [nil, try Self.user("\u{202E}", "\u{200D}")] {
                #expect(try await Self.login(platform, person: "Nemo") { $0["user"] = user }["name"] == nil)
            }
            let later = try await Self.login(platform, person: "Nemo") { $0["user"] = try Self.user("Nemo", nil) }
            #expect(later["name"] as? String == "Nemo" && later["sub"] as? String == first["sub"] as? String)
            #expect(try await platform.count("tenant_user", where: "updated_at > now() - interval '30 minutes'") == 1)
            let last = try await Self.login(platform, person: "Nemo") { $0["user"] = try Self.user("Eve", "Evil") }
            #expect(last["name"] as? String == "Nemo")
        }
    }

    @Test("a later name needs the id_token of its user: an altered one, or another person's, gives no name to anybody")
    func laterForNobody() async throws {
        try await TestPlatform.run { platform in
            for person in ["Nemo", "Nobody"] { _ = try await Self.login(platform, person: person) { $0["user"] = nil } }
            let other = TestBrowser(platform)
            let foreign = try await other.atApple(try await other.authorize(.init(platform.acme)), person: "Nobody")["id_token"]
            for token in [foreign, nil, "x"] {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                var form = try await browser.atApple(try await browser.authorize(request), person: "Nemo")
                (form["user"], form["id_token"]) = (try Self.user("Eve", "Evil"), token)
                #expect(try await browser.callback(form).reports(request, "server_error"))
            }
            #expect(try await platform.count("tenant_user", where: "given_name IS NULL AND family_name IS NULL") == 2)
        }
    }

    @Test("the email address comes from the id_token, not from the form")
    func emailFromToken() async throws {
        try await TestPlatform.run { platform in
            let first = try await Self.login(platform, person: "Grace Hopper") { $0["user"] = try Self.user("Grace", "Hopper") }
            #expect(first["email"] as? String == "grace-hopper@example.com")
            // The form's address is not used if the token has none.
            let without = try await Self.login(platform, person: "Katherine Johnson") { $0["user"] = try Self.user("Katherine", "Johnson") }
            #expect(without["name"] as? String == "Katherine Johnson")
            #expect(without["email"] == nil)
            #expect(without["email_verified"] == nil)
            #expect(try await platform.count("tenant_user", where: "email LIKE '%evil%'") == 0)
        }
    }

    @Test("a new address in the id_token replaces the old one; without an address, the old one stays")
    func emailFollows() async throws {
        try await TestPlatform.run { platform in
            for (value, expected) in [
                ("one@example.com", "one@example.com"), ("two@example.com", "two@example.com"), (nil, "two@example.com"),
            ] {
                var fault: [String: any Sendable] = [
                    "endpoint": "token", "fault": "claim", "claim": "email", "client_id": platform.own.servicesID, "times": 1,
                ]
                fault["value"] = value
                try await platform.simulator.fault(fault)
                #expect(try await Self.login(platform, person: "Grace Hopper")["email"] as? String == expected)
            }
        }
    }

    @Test("a hidden address is the relay's, and is marked as such")
    func relay() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request, headers: [("Simulator-Email", "hide")])
            let token = try claims(of: try await browser.redeem(code, request).string("id_token"))
            #expect((token["email"] as? String)?.hasSuffix("@privaterelay.appleid.com") == true)
            #expect(token["is_private_email"] as? Bool == true)
        }
    }

    @Test("a hostile user field is harmless: a clean name or none is saved, and the login continues")
    func hostile() async throws {
        try await TestPlatform.run { platform in
            let cases: [(String, String?, String?)] = [
                ("", nil, nil), ("null", nil, nil), ("[]", nil, nil), ("\"x\"", nil, nil), ("{", nil, nil),
                ("{\"name\":\"Eve\"}", nil, nil),
                ("{\"name\":{\"firstName\":1,\"lastName\":\"L\"}}", nil, "L"),
                ("{\"name\":{\"firstName\":[\"F\"],\"lastName\":null}}", nil, nil),
                ("{\"name\":{\"firstName\":{\"a\":1},\"lastName\":true}}", nil, nil),
                (String(repeating: "[", count: 5000), nil, nil), (String(repeating: "{\"name\":", count: 900), nil, nil),
                (try Self.user("A\u{0}d\u{1B}[31ma\u{202E}\u{200B}", " L\r\n\tx\u{2066} "), "Ad[31ma", "L x"),
                (try Self.user("\u{202E}\u{0}", "\u{FEFF}"), nil, nil),
                (try Self.user("'; DROP TABLE tenant_user; --", "<script>"), "'; DROP TABLE tenant_user; --", "<script>"),
                (try Self.user(String(repeating: "x", count: 7000), "L"), String(repeating: "x", count: 100), "L"),
                (try Self.user(String(repeating: "x", count: 20_000), "L"), nil, nil),
                (try Self.user("e" + String(repeating: "\u{301}", count: 1000), "L"), nil, "L"),
            ]
            for (field, given, family) in cases {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                var form = try await browser.atApple(try await browser.authorize(request), person: "new")
                form["user"] = field
                let code = try await browser.callback(form)["code"]
                #expect(code != nil, "\(field.prefix(80))")
                let token = try claims(of: try await browser.redeem(code ?? "", request).string("id_token"))
                let user = try await platform.user(token["sub"] as? String ?? "")
                #expect(user?.givenName == given, "\(field.prefix(80))")
                #expect(user?.familyName == family, "\(field.prefix(80))")
            }
        }
    }

    @Test("two concurrent first sign-ins of a person create one user")
    func concurrentFirst() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            var ready: [(TestBrowser, TestBrowser.AppleForm)] = []
            for _ in 0..<4 {
                let browser = TestBrowser(platform)
                ready.append((browser, try await browser.atApple(try await browser.authorize(request), person: "Grace Hopper")))
            }
            let subjects = try await withThrowingTaskGroup(of: String?.self) { tasks in
                for (browser, form) in ready {
                    tasks.addTask {
                        let code = try #require(try await browser.callback(form)["code"])
                        return try claims(of: try await browser.redeem(code, request).string("id_token"))["sub"] as? String
                    }
                }
                return try await tasks.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(subjects.count == 1)
            #expect(try await platform.count("tenant_user") == 1)
            #expect(try await platform.count("identity") == 1)
            #expect(try await platform.user(subjects.first! ?? "")?.givenName == "Grace")
        }
    }

    @Test("a person is one user of a tenant at every sign-in, and a different user of another tenant")
    func sameUser() async throws {
        try await TestPlatform.run { platform in
            func subject(_ tenant: SeedResult.TenantResult) async throws -> String? {
                let tokens = try await TestBrowser(platform).tokens(.init(tenant), person: "Grace Hopper")
                return try claims(of: tokens["id_token"] as? String)["sub"] as? String
            }
            let first = try await subject(platform.acme)
            #expect(first?.hasPrefix("user_") == true)
            #expect(try await subject(platform.acme) == first)
            #expect(try await subject(platform.globex) != first)
        }
    }

    @Test("two people are two users, even with the same email address")
    func neverLinkedByEmail() async throws {
        try await TestPlatform.run { platform in
            try await platform.simulator.fault([
                "endpoint": "token", "fault": "claim", "claim": "email", "value": "same@example.com", "client_id": platform.own.servicesID,
            ])
            let (one, other) = (try await Self.login(platform, person: "new"), try await Self.login(platform, person: "new"))
            #expect(one["email"] as? String == other["email"] as? String)
            #expect(one["sub"] as? String != other["sub"] as? String)
        }
    }

    @Test("Apple's refresh token is stored, sealed for its own row; a login without one does not change it")
    func appleRefreshToken() async throws {
        try await TestPlatform.run { platform in
            func stored() async throws -> (sealed: [UInt8], team: String, subject: String, client: String) {
                try await platform.ownerPool.run("SELECT sealed_refresh_token, team_id, apple_sub, apple_client_id FROM identity").first {
                    (try $0.get("sealed_refresh_token"), try $0.get("team_id"), try $0.get("apple_sub"), try $0.get("apple_client_id"))
                }!
            }
            _ = try await Self.login(platform, person: "Grace Hopper")
            let row = try await stored()
            let tenant = try #require(ID<Tenant>(platform.acme.id))
            let opened = try platform.settings.keyring.open(
                Sealed(bytes: row.sealed), in: Identity.context(tenant, team: row.team, subject: row.subject))
            // The form of the simulator's tokens.
            #expect(String(decoding: opened, as: UTF8.self).hasPrefix("r"))
            #expect(row.client == platform.own.servicesID)
            #expect(throws: SealingError.self) {
                try platform.settings.keyring.open(
                    Sealed(bytes: row.sealed), in: Identity.context(tenant, team: row.team, subject: row.subject + "x"))
            }
            try await platform.simulator.fault([
                "endpoint": "token", "fault": "no_refresh_token", "client_id": platform.own.servicesID, "times": 1,
            ])
            _ = try await Self.login(platform, person: "Grace Hopper")
            #expect(try await stored().sealed == row.sealed)
        }
    }
}
