import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Web

/// An attacker wants to become a member by somebody else's invitation.
@Suite("Attack: stolen invitations")
struct InvitationTheftTests {
    @Test("a guessed or malformed token finds nothing")
    func guessedToken() async throws {
        try await TestPlatform.run { platform in
            let stranger = PersonClient(platform)
            let link = try await PersonClient(platform).invite()
            let token = String(link.suffix(47))
            for guess in [
                "", "inv_", token.uppercased(), token + "x", String(token.dropLast()), "inv_" + String(repeating: "a", count: 43),
                String(token.dropLast()) + "%CC%81", "inv_%00",
            ] { #expect(try await stranger.open("/invitation?token=\(guess)").status == 404, "\(guess)") }
        }
    }

    @Test("a link works once, also for two people at the same time")
    func usedTwice() async throws {
        try await TestPlatform.run { platform in
            let ada = PersonClient(platform)
            let link = try await ada.invite()
            // Both have chosen a password and scanned a key.
            var people: [(client: PersonClient, page: TestBrowser.Answer)] = []
            for number in 0..<2 {
                var person = PersonClient(platform)
                let form = [("name", "Person \(number)"), ("password", "correct horse \(number) staple")]
                #expect(try await person.send("/invitation", form, from: try await person.open(link)).status == 303)
                let page = try await person.scan()
                people.append((person, page))
            }
            let answers = try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { [people] tasks in
                for (person, page) in people {
                    tasks.addTask { try await person.send("/sign-in/authenticator", [("code", person.code())], from: page) }
                }
                return try await tasks.reduce(into: [TestBrowser.Answer]()) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 200 }.count == 1)
            let refused = answers.filter { $0.status == 404 || $0.location == "/account/sign-in" }
            #expect(refused.count == 1, "\(answers.map(\.status))")
            #expect(people.filter { $0.client.secret != nil }.count == 1)
            #expect(try await platform.count("membership") == 1)
            #expect(try await platform.count("person") == 1)
            #expect(try await ada.open(link).status == 404)
        }
    }

    @Test("a deleted or expired link is dead, also for a person who has begun")
    func deletedOrExpired() async throws {
        try await TestPlatform.run { platform in
            let ada = PersonClient(platform)
            let link = try await ada.invite()
            _ = try await ada.send("/invitation", [("name", "Ada"), ("password", ada.password)], from: try await ada.open(link))
            let page = try await ada.open("/sign-in/authenticator")
            #expect(page.status == 200)
            _ = try await platform.ownerPool.run("UPDATE invitation SET expires_at = now() - interval '1 second'")
            #expect(try await ada.open(link).status == 404)
            #expect(try await ada.send("/sign-in/authenticator", [("code", "000000")], from: page).location == "/account/sign-in")
            _ = try await platform.ownerPool.run("DELETE FROM invitation")
            #expect(try await ada.open(link).status == 404)
            #expect(try await platform.count("person") == 0)
        }
    }

    @Test("a row that was moved to another tenant opens no link")
    func movedRow() async throws {
        try await TestPlatform.run { platform in
            let ada = PersonClient(platform)
            let link = try await ada.invite(as: "viewer")
            #expect(try await ada.open(link).status == 200)
            _ = try await platform.ownerPool.run(
                "UPDATE invitation SET tenant_id = (SELECT id FROM tenant WHERE slug = 'globex'), role = 'owner'")
            #expect(try await ada.open(link).status == 404)
        }
    }

    @Test("a program that opens the link of a mail uses nothing up")
    func prefetchByMailScanner() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            let link = try await ada.invite()
            for _ in 0..<3 { #expect(try await TestBrowser(platform).get(PersonClient.account + link).status == 200) }
            let form = [("name", "Ada"), ("password", ada.password)]
            _ = try await ada.send("/invitation", form, from: try await ada.open(link))
            #expect(try await ada.enroll().status == 200)
        }
    }

    @Test("a link to a person with an account sets no password, and makes nobody else a member")
    func existingAccountNeedsSignIn() async throws {
        try await TestPlatform.run { platform in
            var (ada, mallory) = (PersonClient(platform), PersonClient(platform, "mallory@example.com"))
            try await ada.register(as: "operator")
            try await mallory.register(as: "operator")
            let link = try await ada.invite(as: "owner")
            let page = try await mallory.open(link)
            let form = [("name", "Mallory"), ("password", "another horse battery staple")]
            #expect(try await mallory.send("/invitation", form, from: page).location == "/account/sign-in")
            #expect(try await platform.count("membership", where: "role = 'owner'") == 0)
            #expect(try await platform.count("person") == 2)
            #expect(try await PersonClient(platform).givePassword("another horse battery staple").status == 400)
        }
    }

    @Test("of many acceptances of a signed-in person at the same time, one wins")
    func concurrentAcceptance() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register(as: "operator")
            let page = try await ada.open(try await ada.invite(as: "viewer"))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { [ada] tasks in
                for _ in 0..<8 { tasks.addTask { try await ada.send("/invitation", [], from: page).status } }
                return try await tasks.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [303] + Array(repeating: 404, count: 7))
            #expect(try await platform.count("membership", where: "role = 'viewer'") == 1)
            let accepted = "action = 'acceptInvitation' AND tenant_id = (SELECT id FROM tenant WHERE slug = 'acme')"
            #expect(try await platform.count("audit_event", where: accepted) == 1)
        }
    }

    @Test(
        "a link that a member created is dead as soon as the member leaves, is removed, or has fewer scopes; other links stay",
        arguments: ["leave", "remove", "demote", "narrow", "delete"])
    func leftBehind(end: String) async throws {
        try await TestPlatform.run { platform in
            let (ada, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            let role: [String: any Sendable] = ["name": "Deputy", "scopes": ["members:read", "members:write", "users:read"]]
            let custom = try await platform.call("POST", "/tenants/acme/roles", role).resourceID
            let member = try #require(try await platform.call("GET", "/tenants/acme/members").ids.first)
            func change(_ role: String) async throws -> Int {
                try await platform.call("PATCH", "/tenants/acme/members/\(member)", ["role": role]).status
            }
            #expect(try await change(custom) == 200)
            let token = try #require(try await ada.redeem(try await ada.code(program), program).string("access_token"))
            func invite(_ email: String, _ key: String?) async throws -> String {
                let deputy: [String: any Sendable] = ["email": email, "role": custom]
                let invited = try await platform.call("POST", "/tenants/acme/invitations", key: key, deputy)
                return String(try #require(invited.string("url")).dropFirst(PersonClient.account.count))
            }
            let (own, other) = (try await invite("alias@example.com", token), try await invite("mary@example.com", nil))
            let stranger = PersonClient(platform)
            // More scopes leave the link.
            if end == "demote" { #expect(try await change("owner") == 200) }
            #expect(try await stranger.open(own).status == 200)

            switch end {
            case "leave":
                let page = try await ada.browser.get("\(TerminalPerson.issuer)/memberships/\(member)")
                #expect(try await ada.press("/account/memberships/\(member)/leave", of: page).status == 303)
            case "remove": #expect(try await platform.call("DELETE", "/tenants/acme/members/\(member)").status == 204)
            case "demote": #expect(try await change("developer") == 200)
            case "narrow":
                let less: [String: any Sendable] = ["scopes": ["members:read", "members:write"]]
                #expect(try await platform.call("PATCH", "/tenants/acme/roles/\(custom)", less).status == 200)
            default: #expect(try await platform.call("DELETE", "/platform/people/\(ada.person)").status == 204)
            }
            #expect(try await stranger.open(own).status == 404)
            #expect(try await stranger.open(other).status == 200)
            let deleted = "action = 'deleteInvitation' AND before->>'email' = 'alias@example.com'"
            #expect(try await platform.count("audit_event", where: deleted) == 1)
        }
    }

    @Test("the links of an operator who is removed are dead in each tenant and at the platform")
    func leftBehindByOperator() async throws {
        try await TestPlatform.run { platform in
            let (grace, program) = (try await TerminalPerson(platform, name: "Grace"), TerminalPerson.Program())
            _ = try await platform.ownerPool.run(
                "UPDATE membership SET tenant_id = '00000000-0000-0000-0000-000000000000', role = 'operator'")
            let token = try #require(try await grace.redeem(try await grace.code(program), program).string("access_token"))
            for (path, body) in [
                ("/tenants/acme/invitations", ["email": "alias@example.com", "role": "owner"]),
                ("/tenants/globex/invitations", ["email": "alias@example.com", "role": "owner"]),
                ("/platform/operators", ["email": "alias@example.com"]),
            ] { #expect(try await platform.call("POST", path, key: token, body).status == 201, "\(path)") }
            let member = try #require(try await platform.call("GET", "/platform/operators").ids.first)
            #expect(try await platform.call("DELETE", "/platform/operators/\(member)").status == 204)
            #expect(try await platform.count("invitation") == 0)
            #expect(try await platform.count("audit_event", where: "action IN ('deleteInvitation', 'deletePlatformInvitation')") == 3)
        }
    }

    @Test("the token of a link is in no log, no audit event, no metric and no Referer")
    func tokenInNoLog() async throws {
        let log = RecordedLog()
        try await TestPlatform.run(log: log) { platform in
            var ada = PersonClient(platform)
            let link = try await ada.invite()
            let page = try await ada.open(link)
            #expect(page.header("Referrer-Policy") == "strict-origin")
            let form = [("name", "Ada"), ("password", ada.password)]
            _ = try await ada.send("/invitation", [("name", ""), ("password", "x")], from: page)
            _ = try await ada.send("/invitation", form, from: page)
            try await ada.enroll()
            for path in [link, link + "x", "/invitation?token=\(link.suffix(47))&token=x"] { _ = try await ada.open(path) }

            let trail = try await platform.ownerPool.run("SELECT audit_event::text AS text FROM audit_event").map {
                try $0.get("text", as: String.self)
            }
            #expect(log.text.contains("showInvitation") && trail.contains { $0.contains("acceptInvitation") })
            // The characters after `inv_` alone are the secret, too.
            for secret in [String(link.suffix(43)), ada.password] {
                for text in [log.text, platform.installation.metrics.text] + trail { #expect(!text.contains(secret)) }
            }
        }
    }
}
