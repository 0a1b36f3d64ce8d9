import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing
import Web

/// An attacker guesses passwords.
@Suite("Attack: guessed passwords of people")
struct PasswordGuessTests {
    @Test("after 5 wrong passwords of a person, each next one waits twice as long, even the right one")
    func bruteForceOnePerson() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let stranger = PersonClient(platform)
            for _ in 0..<5 { #expect(try await stranger.givePassword("wrong password").status == 400) }
            for wait in [1, 2, 4, 8, 16, 32] {
                // The last failure seems to be 20 s ahead, so that a slow machine does not outlast a wait.
                _ = try await platform.ownerPool.run("UPDATE person SET password_failed_at = now() + interval '20 seconds'")
                let waiting = try await stranger.givePassword()
                #expect(waiting.status == 429 && waiting.body.contains("Too many attempts."))
                let seconds = try #require(waiting.header("Retry-After").flatMap { Int($0) })
                #expect((wait + 1...wait + 20).contains(seconds), "\(wait): \(seconds)")
                // At its end, exactly one more is checked.
                _ = try await platform.ownerPool.run(
                    "UPDATE person SET password_failed_at = now() - make_interval(secs => \(Double(wait)))")
                #expect(try await stranger.givePassword("wrong password").status == 400, "\(wait)")
            }
            #expect(try await platform.count("person", where: "password_failures = 11") == 1)
            _ = try await platform.ownerPool.run("UPDATE person SET password_failed_at = now() - interval '64 seconds'")
            #expect(try await stranger.givePassword().location == "/account/sign-in/code")
        }
    }

    @Test("of many guesses at the same time, only the permitted number is checked")
    func parallelGuesses() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let email = ada.email
            let checked = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<15 { tasks.addTask { try await PersonClient(platform).givePassword("wrong password", email: email).status } }
                return try await tasks.reduce(into: 0) { $0 += $1 == 400 ? 1 : 0 }
            }
            // The sixth one may be 1 s later than the fifth one.
            #expect(checked <= 7)
            #expect(try await platform.count("person", where: "password_failures <= 7") == 1)
        }
    }

    @Test("one password for many addresses uses up the limit of the network")
    func spraying() async throws {
        try await TestPlatform.run { platform in
            let (stranger, start) = (PersonClient(platform), ContinuousClock.now)
            var statuses: [Int] = []
            for number in 0..<25 {
                statuses.append(try await stranger.givePassword("Summer2026!", email: "person\(number)@example.com").status)
            }
            // One more each 30 s, on a slow machine.
            let more = Int((ContinuousClock.now - start) / .seconds(30))
            let checked = statuses.filter { $0 == 400 }.count
            #expect(statuses.prefix(20).allSatisfy { $0 == 400 } && (20...20 + more).contains(checked), "\(statuses)")
            #expect(statuses.filter { $0 == 429 }.count == 25 - checked, "\(statuses)")
        }
    }

    @Test("guesses of an attacker do not keep a person out of a browser in which the person has signed in")
    func lockoutIsNoDenial() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            _ = try await platform.ownerPool.run("UPDATE person SET password_failures = 20, password_failed_at = now()")
            #expect(try await PersonClient(platform).givePassword().status == 429)
            #expect(try await ada.signIn().location == "/account")
            // The cookie belongs to one person.
            let cookies = ada.browser.cookies
            var bob = PersonClient(platform, "bob@example.com")
            try await bob.register()
            _ = try await platform.ownerPool.run("UPDATE person SET password_failures = 20, password_failed_at = now()")
            bob.browser = TestBrowser(platform)
            bob.browser.cookies = cookies
            #expect(try await bob.givePassword().status == 429)
        }
    }

    @Test("the proof of a known browser permits 20 guesses, also from many networks")
    func knownBrowserIsLimited() async throws {
        try await TestPlatform.run({ $0.trustedProxies = 1 }) { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            _ = try await platform.ownerPool.run("UPDATE person SET password_failures = 20, password_failed_at = now()")
            let asked = try await ada.send("/sign-in", [("email", ada.email)], from: try await ada.open("/sign-in?again=/account"))
            var checked = 0
            for number in 0..<25 {
                let guess = try await ada.send(
                    "/sign-in/password", [("email", ada.email), ("password", "wrong password")], from: asked,
                    headers: [("X-Forwarded-For", "198.18.\(number).1")])
                checked += guess.status == 400 ? 1 : 0
            }
            #expect(checked == 20)
        }
    }

    @Test("a new password revokes the proof of each other known browser")
    func knownBrowserIsRevoked() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let thief = PersonClient(platform)
            thief.browser.cookies = ada.browser.cookies
            ada.password = "a quite different phrase"
            #expect(try await ada.send("/password", [("password", ada.password)], from: try await ada.open("/password")).status == 303)
            _ = try await platform.ownerPool.run("UPDATE person SET password_failures = 20, password_failed_at = now()")
            #expect(try await thief.givePassword().status == 429)
            #expect(try await ada.givePassword().status == 303)
        }
    }

    @Test("an unknown address gets the same headers and the same page, and is counted by the same rule")
    func unknownAddressLooksEqual() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let stranger = PersonClient(platform)
            // One page has one token, so only the address differs.
            let page = try await stranger.send("/sign-in", [("email", "bob@example.com")], from: try await stranger.open("/sign-in"))
            func answers(_ email: String) async throws -> [(status: Int, headers: [String], body: String)] {
                var answers: [(Int, [String], String)] = []
                for attempt in 0..<6 {
                    // A password that is too long costs no hash, so a slow machine does not outlast the wait of 1 s after the fifth one.
                    let password = attempt < 4 ? "wrong password" : String(repeating: "x", count: 4000)
                    let answer = try await stranger.send("/sign-in/password", [("email", email), ("password", password)], from: page)
                    let headers = answer.headers.filter { !["date", "request-id"].contains($0.name.lowercased()) }
                    answers.append((answer.status, headers.map { "\($0.name): \($0.value)" }.sorted(), answer.body))
                }
                return answers
            }
            let (known, unknown) = (try await answers("ada@example.com"), try await answers("bob@example.com"))
            #expect(known.map(\.status) == [400, 400, 400, 400, 400, 429])
            for (one, other) in zip(known, unknown) {
                #expect(one.status == other.status && one.headers == other.headers)
                #expect(one.body == other.body.replacing("bob@example.com", with: "ada@example.com"))
            }
        }
    }

    @Test("a password that is too long costs no hash")
    func longPassword() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let stranger = PersonClient(platform)
            #expect(try await stranger.givePassword(String(repeating: "x", count: 4000)).status == 400)
            #expect(try await stranger.givePassword(String(repeating: "x", count: 65_536)).status == 413)
        }
    }

    @Test("a flood of passwords from many networks fills the queue of hashes, and other pages and the API still respond")
    func argonFlood() async throws {
        let settings: @Sendable (inout Settings) -> Void = { ($0.trustedProxies, $0.connections.perAddress) = (1, nil) }
        try await TestPlatform.run(settings) { platform in
            let stranger = PersonClient(platform)
            let asked = try await stranger.send("/sign-in", [("email", stranger.email)], from: try await stranger.open("/sign-in"))
            let csrf = try #require(TestBrowser.AppleForm(html: asked.body)?["csrf"])
            let cookies = stranger.browser.cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
            let statuses = try await withThrowingTaskGroup(of: String.self) { tasks in
                for number in 0..<200 {
                    let form = "csrf=\(csrf)&email=person\(number)%40example.com&password=wrong+password"
                    let text = """
                        POST /account/sign-in/password HTTP/1.1\r\nHost: login.test\r\nOrigin: \(TestPlatform.publicURL)\r\n\
                        X-Forwarded-For: 198.18.\(number).1\r\nCookie: \(cookies)\r\nConnection: close\r\n\
                        Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n\r\n\(form)
                        """
                    tasks.addTask { String(try await RawConnection.send(text, to: platform).prefix(12).suffix(3)) }
                }
                // Meanwhile.
                for _ in 0..<5 {
                    #expect(try await TestBrowser(platform).get(PersonClient.account + "/sign-in").status == 200)
                    #expect(try await platform.call("GET", "/tenants/acme").status == 200)
                }
                return try await tasks.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses["503", default: 0] > 0 && statuses["400", default: 0] > 0, "\(statuses)")
            #expect(Set(statuses.keys) == ["400", "503"], "\(statuses)")
            #expect(try await stranger.givePassword("wrong password").status == 400)
        }
    }
}
