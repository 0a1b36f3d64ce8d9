import Foundation
import Postgres
import TestSupport
import Testing

/// Another site makes the browser of a person send requests.
@Suite("Attack: forms of other sites against people")
struct PeopleCSRFTests {
    private static let forms = [
        "/sign-in", "/sign-in/password", "/sign-in/passkey", "/sign-in/code", "/sign-in/authenticator", "/invitation", "/sign-out",
    ]

    @Test("no form of another origin is accepted, not even with the token of the page")
    func otherOrigin() async throws {
        try await TestPlatform.run { platform in
            let ada = PersonClient(platform)
            let page = try await ada.open(try await ada.invite())
            for path in Self.forms {
                for headers in [
                    [("Origin", "https://evil.test")], [("Origin", "null")], [("Origin", "https://login.test.evil.test")],
                    [("Origin", TestPlatform.publicURL), ("Sec-Fetch-Site", "same-site")],
                    [("Origin", TestPlatform.publicURL), ("Sec-Fetch-Site", "cross-site")],
                ] {
                    let answer = try await ada.send(
                        path, [("email", "ada@example.com"), ("name", "Ada"), ("password", ada.password)], from: page, headers: headers)
                    #expect(answer.status == 400, "\(path) \(headers): \(answer.status)")
                }
            }
            #expect(try await platform.count("person") == 0)
            #expect(try await platform.count("person_session") == 0)
        }
    }

    @Test("no form without the token of the page is accepted")
    func missingToken() async throws {
        try await TestPlatform.run { platform in
            let ada = PersonClient(platform)
            let token = String(try await ada.invite().suffix(47))
            _ = try await ada.open("/sign-in")
            for path in Self.forms where path != "/sign-out" {
                for csrf in [nil, "", "opaque", String(repeating: "A", count: 48)] {
                    let form = [("token", token), ("email", ada.email), ("name", "Ada"), ("password", ada.password)]
                    let answer = try await ada.browser.post(
                        PersonClient.account + path, form: form + (csrf.map { [("csrf", $0)] } ?? []),
                        headers: [("Origin", TestPlatform.publicURL)])
                    #expect(answer.status == 400, "\(path): \(answer.status)")
                }
            }
        }
    }

    @Test("the token of another session or of another browser's step does not count")
    func tokenOfOtherSession() async throws {
        try await TestPlatform.run { platform in
            var (ada, mallory) = (PersonClient(platform), PersonClient(platform, "mallory@example.com"))
            try await ada.register(as: "operator")
            try await mallory.register(as: "operator")
            let page = try await mallory.open(try await mallory.invite(as: "viewer"))
            #expect(try await ada.send("/sign-out", [], from: page).status == 400)
            let start = try await PersonClient(platform).open("/sign-in")
            _ = try await ada.open("/sign-in?again=/account/keys")
            #expect(try await ada.send("/sign-in", [("email", ada.email)], from: start).status == 400)
            #expect(try await platform.count("person_session", where: "ended_at IS NULL") == 2)
        }
    }

    @Test("a page of the attacker's sign-in does not sign the victim in")
    func loginCSRF() async throws {
        try await TestPlatform.run { platform in
            var mallory = PersonClient(platform, "mallory@example.com")
            try await mallory.register()
            mallory.browser = TestBrowser(platform)
            _ = try await mallory.givePassword()
            let page = try await mallory.open("/sign-in/code")
            // The form of the attacker in the browser of the victim, without the attacker's cookie.
            let victim = PersonClient(platform)
            let answer = try await victim.send("/sign-in/code", [("code", mallory.code())], from: page)
            #expect(answer.location == "/account/sign-in" && victim.secret == nil)
        }
    }

    @Test("a GET changes nothing, and no page needs one to change something")
    func getChangesNothing() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register(as: "operator")
            let link = try await ada.invite(as: "viewer")
            func state() async throws -> [Int] {
                var counts: [Int] = []
                for table in ["person", "person_session", "membership", "audit_event", "single_use", "person_totp", "recovery_code"] {
                    counts.append(try await platform.count(table))
                }
                return counts + [try await platform.count("invitation", where: "accepted_at IS NOT NULL")]
            }
            let before = try await state()
            for path in [link, "/sign-in", "/sign-in/passkey", "/sign-in/code", "/sign-in/authenticator", "/sign-in?again=/account"] {
                for _ in 0..<2 { #expect(try await ada.open(path).status < 400, "\(path)") }
            }
            #expect(try await state() == before)
        }
    }

    @Test("the cookie of a session works at no path of the REST API")
    func cookieAtREST() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register(as: "operator")
            for path in ["/v1/tenants", "/v1/tenants/acme", "/v1/tenants/acme/members"] {
                #expect(try await ada.browser.get(TestPlatform.publicURL + path).status == 401)
            }
        }
    }
}
