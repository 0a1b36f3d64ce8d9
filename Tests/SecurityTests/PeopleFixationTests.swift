import Foundation
import Postgres
import TestSupport
import Testing

/// An attacker puts a cookie into the browser of a person before the person signs in.
@Suite("Attack: planted sessions of people")
struct PeopleFixationTests {
    @Test("a planted session is not continued, and ends when the person signs in")
    func plantedSession() async throws {
        try await TestPlatform.run { platform in
            var (ada, mallory) = (PersonClient(platform), PersonClient(platform, "mallory@example.com"))
            try await ada.register()
            try await mallory.register()
            let planted = try #require(mallory.secret)
            ada.browser = TestBrowser(platform)
            ada.browser.cookies = [PersonClient.cookie: planted]
            #expect(try await ada.signIn().location == "/account")
            #expect(ada.secret != planted)
            #expect(try await platform.count("person_session", where: "ended_reason = 'replaced'") == 1)
        }
    }

    @Test("a planted step does not become a session of the person")
    func plantedStep() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let mallory = PersonClient(platform)
            _ = try await mallory.open("/sign-in")
            let planted = try #require(mallory.browser.cookies[PersonClient.stepCookie])
            ada.browser = TestBrowser(platform)
            ada.browser.cookies = [PersonClient.stepCookie: planted]
            _ = try await ada.givePassword()
            // The right password makes another step. The attacker's copy has proved nothing.
            #expect(ada.browser.cookies[PersonClient.stepCookie] != planted)
            #expect(try await mallory.open("/sign-in/code").location == "/account/sign-in")
        }
    }

    @Test("the cookie from before a sign-in is dead after it")
    func rotatedAtSecondFactor() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let old = try #require(ada.secret)
            _ = try await ada.open("/sign-in?again=/account/keys")
            #expect(try await ada.signIn().location == "/account/keys")
            let thief = PersonClient(platform)
            thief.browser.cookies = [PersonClient.cookie: old]
            #expect(
                try await thief.browser.post("\(PersonClient.account)/sign-out", form: []).location?.hasPrefix("/account/sign-in") == true)
        }
    }

    @Test("a cookie without the prefix, which a sibling domain can set, does not count")
    func siblingDomainCookie() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let secret = try #require(ada.secret)
            let sibling = PersonClient(platform)
            sibling.browser.cookies = ["espalier-account": secret]
            #expect(
                try await sibling.browser.post("\(PersonClient.account)/sign-out", form: []).location?.hasPrefix("/account/sign-in") == true
            )
            #expect(try await platform.count("person_session", where: "ended_at IS NULL") == 1)
        }
    }
}
