@testable import Accounts
@testable import Encoding
import Foundation
import Postgres
import Server
@testable import Sessions
@testable import Signing
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("End consent")
struct EndConsentTests {
    private func revoked(_ user: String, at moment: Date = Date(), _ platform: TestPlatform) async throws -> SentNotification {
        SentNotification(
            type: "consent-revoked", subject: try await platform.subject(of: user), client: platform.own.servicesID, happenedAt: moment,
            issuedAt: max(moment, Date(timeIntervalSinceNow: -5)))
    }

    @Test("sessions and tokens end, webhooks and the audit trail record it, and the user may sign in again")
    func ends() async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.subscribe(platform.acme)
            let person = somebody()
            let (login, other) = (try await platform.login(person), try await platform.login(person))
            let stranger = try await platform.login()
            #expect(login.user == other.user)
            try await platform.anHourAgo(login.user)
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NOT NULL") == 2)
            let before = try await platform.shown(login.user)
            try await platform.send(try await revoked(login.user, at: Date(timeIntervalSinceNow: -60), platform))
            try await platform.processNotifications()

            #expect(try await platform.outcomes() == ["done applied 1"])
            #expect(try await login.isOver())
            #expect(try await other.isOver())
            #expect(try await stranger.lasts())
            #expect(try await platform.count("session", where: "ended_reason = 'consent_revoked'") == 2)
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NOT NULL") == 1)
            let reported = try await platform.events("user.consent_revoked")
            #expect(reported.map { $0["user_id"] as? String } == [login.user])
            let audited = try await platform.audited("user.consent_revoked")
            #expect(audited.map(\.actor) == ["apple"])
            #expect(audited.map(\.subject) == [login.user])
            #expect(audited.first?.after["sessions"] as? Int == 2)
            let after = try await platform.shown(login.user)
            #expect(after.version != before.version)
            #expect(after.string("status") == "active")
            let identity = (after.json["identities"] as? [[String: any Sendable]])?.first
            #expect(identity?["consent_ended_at"] != nil)

            let anew = try await platform.login(person)
            #expect(anew.user == login.user)
            #expect(try await anew.lasts())
            #expect(try await login.isOver())
        }
    }

    @Test("an unredeemed code gets no tokens")
    func code() async throws {
        try await TestPlatform.runByHand { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request)
            let subject = try await platform.ownerPool.run("SELECT apple_sub FROM identity")[0].get("apple_sub", as: String.self)
            try await platform.send(.init(type: "consent-revoked", subject: subject, client: platform.own.servicesID))
            try await platform.processNotifications()
            #expect(try await browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("a sign-in that waits for the user's name gets no code, and saves no name")
    func waitsForName() async throws {
        try await TestPlatform.runByHand { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let client = request.application.client_id
            #expect(try await platform.call("PATCH", "/tenants/acme/applications/\(client)", ["requires_name": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let toApple = try await browser.authorize(request)
            func callback(_ user: String?) async throws -> TestBrowser.Answer {
                var form = try await browser.atApple(toApple, person: "Nemo")
                form["user"] = user
                return try await browser.callback(form)
            }
            let page = try await callback(nil)
            let subject = try await platform.ownerPool.run("SELECT apple_sub FROM identity")[0].get("apple_sub", as: String.self)
            try await platform.send(.init(type: "consent-revoked", subject: subject, client: platform.own.servicesID))
            try await platform.processNotifications()
            #expect(try await browser.give("Ada", on: page).reports(request, "access_denied"))
            #expect(try await platform.count("tenant_user", where: "given_name IS NULL AND family_name IS NULL") == 1)
            // The person goes back to Apple's sheet, which shares the name with the new consent. Apple's clock has seconds.
            _ = try await platform.ownerPool.run("UPDATE identity SET revoked_at = revoked_at - interval '2 seconds'")
            let back = try await callback(#"{"name":{"firstName":"Ada"}}"#)
            let tokens = try await browser.redeem(try #require(back["code"], "\(back.status) \(back.body)"), request)
            #expect(try claims(of: tokens.string("id_token"))["name"] as? String == "Ada")
        }
    }

    @Test("an event that arrives after a new sign-in ends only older sessions")
    func late() async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.subscribe(platform.acme)
            let person = somebody()
            let stolen = try await platform.login(person)
            try await platform.anHourAgo(stolen.user)
            let anew = try await platform.login(person)
            let sent = try await revoked(anew.user, at: Date(timeIntervalSinceNow: -1800), platform)
            try await platform.send(sent)
            try await platform.processNotifications()
            #expect(try await platform.outcomes() == ["done superseded 1"])
            #expect(try await stolen.isOver())
            #expect(try await anew.lasts())
            #expect(try await anew.browser.refresh(anew.refresh, anew.request).status == 200)
            #expect(try await platform.events("user.consent_revoked").isEmpty)
            // The stored token may belong to the consent that ended. The next sign-in stores a token of the new consent.
            let valid = "sealed_refresh_token IS NOT NULL AND revoked_at IS NULL"
            #expect(try await platform.count("identity", where: valid) == 0)
            _ = try await platform.login(person)
            #expect(try await platform.count("identity", where: valid) == 1)
        }
    }

    @Test("the same event under two names takes effect once; an older event after it changes nothing")
    func doubled() async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.subscribe(platform.acme)
            let login = try await platform.login()
            try await platform.anHourAgo(login.user)
            let moment = Date(timeIntervalSinceNow: -600)
            for at in [moment, moment, moment.addingTimeInterval(-60)] {
                try await platform.send(try await revoked(login.user, at: at, platform))
                try await platform.processNotifications()
            }
            #expect(try await platform.outcomes() == ["done applied 1", "done applied 1", "done superseded 1"])
            #expect(try await platform.events("user.consent_revoked").count == 1)
            #expect(try await platform.audited("user.consent_revoked").count == 1)
            #expect(try await login.isOver())
        }
    }

    @Test("a concurrent sign-in that Apple vouched for earlier is refused")
    func beforeTheCallback() async throws {
        try await TestPlatform.runByHand { platform in
            let person = somebody()
            let login = try await platform.login(person)
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let form = try await browser.atApple(try await browser.authorize(request), person: person)
            // Apple's clock is slightly ahead, and the notification is faster than the browser.
            try await platform.send(try await revoked(login.user, at: Date(timeIntervalSinceNow: 30), platform))
            try await platform.processNotifications()
            #expect(try await browser.callback(form).reports(request, "access_denied"))
            #expect(try await login.isOver())
        }
    }

    @Test("for a first sign-in that is not saved yet, the event waits for the user and ends that sign-in's tokens")
    func beforeTheFirstCallback() async throws {
        try await TestPlatform.runByHand { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let form = try await browser.atApple(try await browser.authorize(request), person: somebody())
            let subject = try #require(try claims(of: form["id_token"])["sub"] as? String)
            let moment = Date(timeIntervalSinceNow: 30)
            try await platform.send(
                .init(type: "consent-revoked", subject: subject, client: platform.own.servicesID, happenedAt: moment, issuedAt: moment))
            try await platform.processNotifications()
            #expect(try await platform.outcomes() == ["pending unknown_user 0"])
            let answer = try await browser.redeem(try #require(try await browser.callback(form)["code"]), request)
            #expect(answer.status == 200)
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 100)) == 0)
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 125)) == 1)
            #expect(try await platform.outcomes() == ["done applied 1"])
            let reported = try await browser.userInfo(answer.string("access_token"), of: platform.acme)
            #expect(reported.isOAuthError(401, "invalid_token"))
        }
    }

    @Test("an event that arrives while a page asks about a user with the same address takes effect after the decision")
    func whileAsked() async throws {
        try await TestPlatform.runByHand { platform in
            let linking = try await Linking.make(platform)
            let form = try await linking.browser.atApple(try await linking.browser.authorize(linking.request), person: linking.second)
            let subject = try #require(try claims(of: form["id_token"])["sub"] as? String)
            let page = try await linking.browser.callback(form)
            #expect(linking.asks(page))
            let moment = Date(timeIntervalSinceNow: 30)
            try await platform.send(
                .init(type: "consent-revoked", subject: subject, client: platform.own.servicesID, happenedAt: moment, issuedAt: moment))
            for seconds in [0.0, 125] { try await platform.processNotifications(at: Date(timeIntervalSinceNow: seconds)) }
            #expect(try await platform.outcomes() == ["pending unknown_user 0"])
            let back = try await linking.browser.press(page, "/separate")
            let tokens = try await linking.browser.redeem(back["code"] ?? "", linking.request)
            #expect(tokens.status == 200)
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 1325)) == 1)
            #expect(try await platform.outcomes() == ["done applied 1"])
            let reported = try await linking.browser.userInfo(tokens.string("access_token"), of: platform.acme)
            #expect(reported.isOAuthError(401, "invalid_token"))
            #expect(try await linking.owner.lasts())
        }
    }

    @Test("an event that arrives while an Apple Account is added in the application takes effect after the last moment for that")
    func whileAdded() async throws {
        try await TestPlatform.runByHand { platform in
            let linking = try await Linking.make(platform)
            let form = try await linking.browser.atApple(try await linking.browser.authorize(linking.request), person: linking.second)
            let subject = try #require(try claims(of: form["id_token"])["sub"] as? String)
            let result = try await linking.confirm()
            let moment = Date(timeIntervalSinceNow: 30)
            try await platform.send(
                .init(type: "consent-revoked", subject: subject, client: platform.own.servicesID, happenedAt: moment, issuedAt: moment))
            // The address and the result are valid for 10 minutes each.
            for seconds in [0.0, 125, 1199] { try await platform.processNotifications(at: Date(timeIntervalSinceNow: seconds)) }
            #expect(try await platform.outcomes() == ["pending unknown_user 0"])
            #expect(try await linking.complete(result).status == 201)
            #expect(try await platform.processNotifications(at: Date(timeIntervalSinceNow: 1325)) == 1)
            #expect(try await platform.outcomes() == ["done applied 1"])
            #expect(try await linking.owner.isOver())
            #expect(try await platform.count("identity", where: "revoked_at IS NOT NULL AND sealed_refresh_token IS NULL") == 1)
        }
    }
}
