import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

/// After the theft of a refresh token, neither thief nor victim retains a session (RFC 9700, section 4.14; RFC 6819, section 5.2.2.3;
/// ASVS 10.4.5).
@Suite("Attack: refresh token replay")
struct RefreshReplayTests {
    @Test("RFC 9700, 4.14.2: after a use by the thief or the victim, the second use ends the family", arguments: [true, false])
    func replay(thiefFirst: Bool) async throws {
        try await TestPlatform.run { platform in
            for application in [0, 1] {
                let request = TestBrowser.Request(platform.acme, application: application)
                let (victim, thief) = (TestBrowser(platform), TestBrowser(platform))
                let stolen = try await victim.signedIn(request)
                let (first, second) = thiefFirst ? (thief, victim) : (victim, thief)
                // The first holder uses it and its successor.
                let one = try await first.refresh(stolen.refreshToken, request)
                let two = try await first.refresh(one.refreshToken, request)
                #expect(one.status == 200 && two.status == 200)
                #expect(try await second.refresh(stolen.refreshToken, request).refuses("invalid_grant"))
                // Now nobody has a valid token.
                for token in [stolen, one, two] {
                    #expect(try await first.refresh(token.refreshToken, request).refuses("invalid_grant"))
                    #expect(try await !first.isTaken(token.accessToken, at: platform.acme))
                }
            }
            #expect(try await platform.count("session", where: "ended_reason = 'refresh_token_reused'") == 2)
            #expect(try await platform.count("audit_event", where: "action = 'session.refresh_token_reused'") == 2)
        }
    }

    @Test("RFC 9700, 4.14.2: after the 30 s for lost responses, one more use of a used token ends the session")
    func afterGrace() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let stolen = try await browser.signedIn(request).refreshToken
            let next = try await browser.refresh(stolen, request)
            _ = try await platform.ownerPool.run("UPDATE session SET refreshed_at = refreshed_at - interval '31 seconds'")
            #expect(try await browser.refresh(stolen, request).refuses("invalid_grant"))
            #expect(try await browser.refresh(next.refreshToken, request).refuses("invalid_grant"))
        }
    }

    @Test("RFC 9700, 4.14.2: within the 30 s, the thief gets only the victim's successor, which is used once")
    func withinGrace() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let stolen = try await browser.signedIn(request).refreshToken
            let (victim, thief) = (try await browser.refresh(stolen, request), try await browser.refresh(stolen, request))
            #expect(victim.refreshToken == thief.refreshToken)
            // After two steps of one of them, the other's next step reveals it.
            let further = try await browser.refresh(try await browser.refresh(thief.refreshToken, request).refreshToken, request)
            #expect(try await browser.refresh(victim.refreshToken, request).refuses("invalid_grant"))
            #expect(try await browser.refresh(further.refreshToken, request).refuses("invalid_grant"))
        }
    }

    @Test("RFC 6819, 5.1.4.2.2: refresh tokens cannot be changed into one another")
    func madeUp() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let token = try await browser.signedIn(request).refreshToken
            let other = try await browser.signedIn(request).refreshToken
            // Another generation, another session, another MAC: each character changed, and halves exchanged.
            var guesses = (4..<token.count).map { at in
                var characters = Array(token)
                characters[at] = characters[at] == "A" ? "B" : "A"
                return String(characters)
            }
            for at in [10, 31, 36, 40] { guesses.append(String(token.prefix(at) + other.dropFirst(at))) }
            guesses += [
                token.lowercased(), token + "=", token + "A", " \(token)", String(token.dropFirst(4)), "ert_ert_" + token.dropFirst(4),
            ]
            for guess in guesses where guess != token && guess != other {
                #expect(try await browser.refresh(guess, request).refuses("invalid_grant"), "\(guess)")
            }
            #expect(try await browser.refresh(token, request).status == 200)
        }
    }
}
