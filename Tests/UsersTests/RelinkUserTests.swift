import Access
import Apple
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users

/// A tenant moves to another team, and its users return.
@Suite("Relink user")
struct RelinkUserTests {
    /// A person for this test only, because all tests share the simulator.
    private static func person(_ platform: TestPlatform, _ name: String, email: String) async throws -> String {
        let id = "\(name)-\(platform.own.team.lowercased())"
        try await platform.simulator.send(.POST, "/simulator/people", ["name": name, "id": id, "email": email])
        return id
    }

    /// The claims that replace those of Apple's next tokens for this side; nil removes a claim. The id_token of the form and the one for
    /// the code have the same changes, because the first to arrive saves the user.
    private static func claims(_ platform: TestPlatform, _ side: TestPlatform.AppleSide, _ changed: [(String, (any Sendable)?)])
        async throws
    {
        for (claim, value) in changed {
            for endpoint in ["authorize", "token"] {
                var fault: [String: any Sendable] = [
                    "endpoint": endpoint, "fault": "claim", "claim": claim, "client_id": side.servicesID, "times": 1,
                ]
                fault["value"] = value
                try await platform.simulator.fault(fault)
            }
        }
    }

    private static func address(_ name: String, _ platform: TestPlatform) -> String {
        "\(name)-\(platform.own.team.lowercased())@example.com"
    }

    @Test("a first sign-in with one user's address is that user; both identities stay; it is audited once, without the address")
    func relinked() async throws {
        try await TestPlatform.run { platform in
            try await platform.moveToShared()
            let grace = try await platform.login("Grace Hopper")
            let second = try await platform.login("Grace Hopper")
            #expect(second.user == grace.user)
            let answer = try await platform.moveToOwn(["existing_users": "relink", "relink_days": 7])
            #expect(answer.string("relink_until") != nil)
            try await platform.subscribe(platform.acme)

            let moved = try await platform.login("Grace Hopper")
            #expect(moved.user == grace.user)
            #expect(try await platform.login("Grace Hopper").user == grace.user)
            #expect(try await grace.lasts())
            #expect(try await platform.count("tenant_user") == 1)
            #expect(try await platform.events("user.created").isEmpty)
            let shown = try await platform.call("GET", "/tenants/acme/users/\(grace.user)")
            let teams = (shown.json["identities"] as? [[String: any Sendable]])?.compactMap { $0["team_id"] as? String }
            #expect(teams == [platform.shared.team, platform.own.team])
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NULL") == 0)

            let audited = try await platform.audited("relinkUser")
            #expect(audited.count == 1)
            #expect(audited.first?.subject == grace.user)
            #expect(audited.first?.actor == moved.request.application.client_id)
            #expect(audited.first?.before["team_ids"] as? [String] == [platform.shared.team])
            #expect(audited.first?.after["team_ids"] as? [String] == [platform.shared.team, platform.own.team])
            #expect(audited.first?.after["connection_id"] as? String == answer.string("id"))
            for secret in ["grace", "hopper", "example.com"] {
                #expect(audited.first?.text.lowercased().contains(secret) == false)
            }

            // An unknown person is a new user, with an event.
            let alan = try await platform.login("Alan Turing")
            #expect(alan.user != grace.user)
            #expect(try await platform.events("user.created").map { $0["user_id"] as? String } == [alan.user])
            // After the return, the other team still knows each user by its own `sub`.
            try await platform.moveToShared(["existing_users": "new_users"])
            #expect(try await platform.login("Grace Hopper").user == grace.user)
        }
    }

    @Test("unless the address is surely the same, verified and the user's own, a sign-in creates a new user")
    func notProven() async throws {
        try await TestPlatform.run { platform in
            typealias Change = [(String, (any Sendable)?)]
            try await platform.moveToShared()
            // Each case has Apple's claims about the address before the move and after it.
            let address = Self.address
            let cases: [(String, before: Change, after: Change)] = [
                ("unverified", [], [("email_verified", false)]), ("unverifiedtext", [], [("email_verified", "false")]),
                ("unverifiedyes", [], [("email_verified", "yes")]), ("unsaid", [], [("email_verified", nil)]),
                ("relay", [], [("is_private_email", "true")]),
                ("relayed", [("email", "r1@privaterelay.appleid.com")], [("email", "r1@privaterelay.appleid.com")]),
                ("relayedloudly", [("email", "r2@PrivateRelay.AppleID.com")], [("email", "r2@PrivateRelay.AppleID.com")]),
                ("addressless", [], [("email", nil)]), ("changed", [], [("email", address("changed2", platform))]),
                ("loud", [], [("email", address("loud", platform).uppercased())]),
                ("wasloud", [("email", address("wasloud", platform).uppercased())], []),
                ("accent", [("email", "é@example.com")], [("email", "é@example.com")]),
                ("kelvin", [("email", "k@example.com")], [("email", "\u{212A}@example.com")]),
                ("percent", [("email", "axb@percent.test")], [("email", "a%b@percent.test")]),
                ("wasunverified", [("email_verified", "false")], []), ("wasunsaid", [("email_verified", nil)], []),
                ("wasrelay", [("is_private_email", true)], []), ("wasaddressless", [("email", nil)], []),
                // The positive cases, for comparison.
                ("proven", [], []), ("provenbytext", [("email_verified", "true")], [("is_private_email", "false")]),
            ]
            let proven: Set = ["proven", "provenbytext"]
            var users: [String: String] = [:]
            for (name, before, _) in cases {
                let person = try await Self.person(platform, name, email: Self.address(name, platform))
                try await Self.claims(platform, platform.shared, before)
                users[name] = try await platform.login(person).user
            }
            try await platform.moveToOwn(["existing_users": "relink"])
            for (name, _, after) in cases {
                try await Self.claims(platform, platform.own, after)
                let user = try await platform.login("\(name)-\(platform.own.team.lowercased())").user
                #expect((user == users[name]) == proven.contains(name), "\(name)")
            }
            #expect(try await platform.audited("relinkUser").count == proven.count)
            #expect(try await platform.count("tenant_user") == 2 * cases.count - proven.count)
        }
    }

    @Test("a hidden address proves nothing")
    func hidden() async throws {
        try await TestPlatform.run { platform in
            try await platform.moveToShared()
            let grace = try await platform.login("Grace Hopper")
            try await platform.moveToOwn(["existing_users": "relink"])
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request, person: "Grace Hopper", headers: [("Simulator-Email", "hide")])
            let token = try TestSupport.claims(of: try await browser.redeem(code, request).string("id_token"))
            #expect(token["sub"] as? String != grace.user)
        }
    }

    @Test("an address of several users links none of them")
    func several() async throws {
        try await TestPlatform.run { platform in
            try await platform.set(["account_linking": "off"])
            try await platform.moveToShared()
            let shared = Self.address("both", platform)
            let (one, other) = (
                try await Self.person(platform, "one", email: shared), try await Self.person(platform, "other", email: shared)
            )
            let similar = try await Self.person(platform, "similar", email: Self.address("alike", platform))
            let loud = try await Self.person(platform, "loud", email: Self.address("alike", platform).uppercased())
            var before: Set<String> = []
            for person in [one, other, similar, loud] { before.insert(try await platform.login(person).user) }
            #expect(before.count == 4)
            try await platform.moveToOwn(["existing_users": "relink"])
            for person in [one, other, similar, loud] {
                let user = try await platform.login(person).user
                #expect(before.insert(user).inserted, "\(person)")
            }
        }
    }

    @Test("if two Apple accounts with the address sign in at once, one takes over the user and the other is new")
    func twoAccounts() async throws {
        try await TestPlatform.run { platform in
            try await platform.set(["account_linking": "off"])
            let request = TestBrowser.Request(platform.acme)
            try await platform.moveToShared()
            var pairs: [(String, [String])] = []
            for number in 0..<4 {
                let address = Self.address("twin\(number)", platform)
                let first = try await Self.person(platform, "first\(number)", email: address)
                let second = try await Self.person(platform, "second\(number)", email: address)
                pairs.append((try await platform.login(first).user, [first, second]))
            }
            try await platform.moveToOwn(["existing_users": "relink"])
            for (user, people) in pairs {
                var ready: [(TestBrowser, TestBrowser.AppleForm)] = []
                for person in people {
                    let browser = TestBrowser(platform)
                    ready.append((browser, try await browser.atApple(try await browser.authorize(request), person: person)))
                }
                let users = try await withThrowingTaskGroup(of: String?.self) { tasks in
                    for (browser, form) in ready {
                        tasks.addTask {
                            let code = try #require(try await browser.callback(form)["code"])
                            let token = try await browser.redeem(code, request).string("id_token")
                            return try TestSupport.claims(of: token)["sub"] as? String
                        }
                    }
                    return try await tasks.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(users).count == 2)
                #expect(users.contains(user))
            }
            #expect(try await platform.audited("relinkUser").count == pairs.count)
            #expect(try await platform.count("identity") == 3 * pairs.count)
        }
    }

    @Test("concurrent sign-ins of the same person are one user, relinked once")
    func sameTwice() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            try await platform.moveToShared()
            let grace = try await platform.login("Grace Hopper")
            try await platform.moveToOwn(["existing_users": "relink"])
            var ready: [(TestBrowser, TestBrowser.AppleForm)] = []
            for _ in 0..<5 {
                let browser = TestBrowser(platform)
                ready.append((browser, try await browser.atApple(try await browser.authorize(request), person: "Grace Hopper")))
            }
            let users = try await withThrowingTaskGroup(of: String?.self) { tasks in
                for (browser, form) in ready {
                    tasks.addTask {
                        let code = try #require(try await browser.callback(form)["code"])
                        return try TestSupport.claims(of: try await browser.redeem(code, request).string("id_token"))["sub"] as? String
                    }
                }
                return try await tasks.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(users == [grace.user])
            #expect(try await platform.count("identity") == 2)
            #expect(try await platform.audited("relinkUser").count == 1)
        }
    }

    @Test("if a user is deleted during the relink, the sign-in is a new user or is deleted with it")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            try await platform.moveToShared()
            var people: [(person: String, user: String)] = []
            for number in 0..<6 {
                let person = try await Self.person(platform, "gone\(number)", email: Self.address("gone\(number)", platform))
                people.append((person, try await platform.login(person).user))
            }
            try await platform.moveToOwn(["existing_users": "relink"])
            for (person, user) in people {
                let browser = TestBrowser(platform)
                let form = try await browser.atApple(try await browser.authorize(request), person: person)
                async let deletion = platform.call("DELETE", "/tenants/acme/users/\(user)")
                async let answer = browser.callback(form)
                #expect(try await deletion.status == 204)
                #expect(try await answer["code"] != nil)
                #expect(try await platform.user(user) == nil)
            }
            #expect(try await platform.count("identity") == (try await platform.count("tenant_user")))
        }
    }

    @Test("a window that closed a second ago is closed")
    func closed() async throws {
        try await TestPlatform.run { platform in
            try await platform.moveToShared()
            let grace = try await platform.login("Grace Hopper")
            try await platform.moveToOwn(["existing_users": "relink", "relink_days": 1])
            let connection = try #require(try await platform.configuration(of: platform.acme).connection)
            let end = try #require(connection.relinkUntil)
            #expect(connection.isRelinking(at: end - 1))
            #expect(!connection.isRelinking(at: end))
            _ = try await platform.ownerPool.run("UPDATE connection SET relink_until = now() - interval '1 second'")
            // This process has never read another window.
            try await SecondServer.run(beside: platform) { server in
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                let code = try #require(try await server.signIn(request, browser, person: "Grace Hopper")["code"])
                let token = try TestSupport.claims(of: try await server.redeem(code, request, browser).string("id_token"))
                #expect(token["sub"] as? String != grace.user)
            }
        }
    }

    @Test("without a window there is no relink, regardless of another connection's window")
    func otherWindow() async throws {
        try await TestPlatform.run { platform in
            let grace = try await platform.login("Grace Hopper")
            try await platform.moveToShared(["existing_users": "new_users"])
            _ = try await platform.ownerPool.run("UPDATE connection SET relink_until = now() + interval '1 day'")
            try await SecondServer.run(beside: platform) { server in
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                let code = try #require(try await server.signIn(request, browser, person: "Grace Hopper")["code"])
                let token = try TestSupport.claims(of: try await server.redeem(code, request, browser).string("id_token"))
                #expect(token["sub"] as? String != grace.user)
            }
            #expect(try await platform.audited("relinkUser").isEmpty)
        }
    }

    @Test("a return to the shared connection has a window, too, for this tenant only")
    func sharedWindow() async throws {
        try await TestPlatform.run { platform in
            let grace = try await platform.login("Grace Hopper")
            let neighbour = try await platform.login("Grace Hopper", platform.globex)
            // This simulates a move of Globex from another team.
            _ = try await platform.ownerPool.run(
                "UPDATE identity SET team_id = 'OTHERTEAM0' WHERE user_id = \(ID<User>(neighbour.user))")
            #expect(try await platform.moveToShared(["existing_users": "relink"]).string("relink_until") != nil)
            #expect(try await platform.login("Grace Hopper").user == grace.user)
            #expect(try await platform.login("Grace Hopper", platform.globex).user != neighbour.user)
        }
    }

    @Test("a user who is known under this team stays the same, with any new address")
    func known() async throws {
        try await TestPlatform.run { platform in
            try await platform.set(["account_linking": "off"])
            try await platform.moveToShared()
            let grace = try await platform.login("Grace Hopper")
            try await platform.moveToOwn(["existing_users": "relink"])
            let alan = try await platform.login("Alan Turing")
            try await Self.claims(platform, platform.own, [("email", "grace-hopper@example.com")])
            #expect(try await platform.login("Alan Turing").user == alan.user)
            // Two users have the address now.
            #expect(try await platform.login("Grace Hopper").user != grace.user)
            #expect(try await platform.audited("relinkUser").isEmpty)
        }
    }

    @Test("a name from the new team is saved if the user had none, and otherwise changes nothing")
    func name() async throws {
        try await TestPlatform.run { platform in
            try await platform.moveToShared()
            let nameless = try await Self.person(platform, "Nemo", email: Self.address("nemo", platform))
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            var form = try await browser.atApple(try await browser.authorize(request), person: nameless)
            form["user"] = nil
            let token = try await browser.redeem(try #require(try await browser.callback(form)["code"]), request).string("id_token")
            let user = try #require(try TestSupport.claims(of: token)["sub"] as? String)
            let grace = try await platform.login("Grace Hopper")
            _ = try await platform.ownerPool.run("UPDATE tenant_user SET created_at = created_at - interval '1 hour'")
            try await platform.moveToOwn(["existing_users": "relink"])
            #expect(try await platform.login(nameless).user == user)
            #expect(try await platform.user(user)?.givenName == "Nemo")
            let renamed = try await browser.code(request, person: "Grace Hopper", headers: [("Simulator-Name", "Eve Evil")])
            _ = try await browser.redeem(renamed, request)
            #expect(try await platform.user(grace.user)?.familyName == "Hopper")
        }
    }

    @Test("an identity that only the tenant asserts does not count: neither one under this team nor one under another team")
    func asserted() async throws {
        try await TestPlatform.run { platform in
            try await platform.moveToShared()
            let (grace, ada) = (try await platform.login("Grace Hopper"), try await platform.login("Ada Lovelace"))
            let added = try await platform.call(
                "POST", "/tenants/acme/users/\(grace.user)/identities", ["team_id": platform.own.team, "subject": "001.mistyped"])
            #expect(added.status == 201, "\(added.body)")
            _ = try await platform.ownerPool.run("UPDATE identity SET is_asserted = true WHERE user_id = \(ID<User>(ada.user))")
            try await platform.moveToOwn(["existing_users": "relink"])
            #expect(try await platform.login("Grace Hopper").user == grace.user)
            #expect(try await platform.login("Ada Lovelace").user != ada.user)
        }
    }
}
