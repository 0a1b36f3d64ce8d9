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

@Suite("Replay notification")
struct ReplayNotificationTests {
    @Test("a replay processes the notification again, with an audit event; it is refused while it is pending")
    func replay() async throws {
        try await TestPlatform.runByHand { platform in
            // The user is saved only after the notification was given up.
            let person = somebody()
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let form = try await browser.atApple(try await browser.authorize(request), person: person)
            let subject = try #require(try claims(of: form["id_token"])["sub"] as? String)
            let moment = Date(timeIntervalSinceNow: 30)
            try await platform.send(
                .init(type: "consent-revoked", subject: subject, client: platform.own.servicesID, happenedAt: moment, issuedAt: moment))
            let id = try #require(try await platform.call("GET", "/tenants/acme/notifications").ids.first)
            #expect(try await platform.call("POST", "/tenants/acme/notifications/\(id)/replay").isProblem(409, "conflict"))
            for seconds in [125.0, 1325] { try await platform.processNotifications(at: Date(timeIntervalSinceNow: seconds)) }
            #expect(try await platform.outcomes() == ["done unknown_user 0"])
            let tokens = try await browser.redeem(try #require(try await browser.callback(form)["code"]), request)
            #expect(tokens.status == 200)

            let replayed = try await platform.call("POST", "/tenants/acme/notifications/\(id)/replay")
            #expect(replayed.status == 202)
            #expect(replayed.string("state") == "pending")
            #expect(replayed.json["outcome"] == nil)
            try await platform.processNotifications(at: Date(timeIntervalSinceNow: 1))
            #expect(try await platform.outcomes() == ["done applied 1"])
            let reported = try await browser.userInfo(tokens.string("access_token"), of: platform.acme)
            #expect(reported.isOAuthError(401, "invalid_token"))
            let audited = try await platform.audited("replayNotification")
            #expect(audited.map(\.subject) == [id])
            #expect(audited.first?.before["outcome"] as? String == "unknown_user")
            #expect(audited.first?.before["subject"] == nil && audited.first?.after["subject"] == nil)
        }
    }

    @Test("a replay does not affect a user who has signed in again")
    func harmless() async throws {
        try await TestPlatform.runByHand { platform in
            let person = somebody()
            let login = try await platform.login(person)
            try await platform.anHourAgo(login.user)
            try await platform.send(
                .init(
                    type: "consent-revoked", subject: try await platform.subject(of: login.user), client: platform.own.servicesID,
                    happenedAt: Date(timeIntervalSinceNow: -600)))
            try await platform.processNotifications()
            let anew = try await platform.login(person)
            let id = try #require(try await platform.call("GET", "/tenants/acme/notifications").ids.first)
            #expect(try await platform.call("POST", "/tenants/acme/notifications/\(id)/replay").status == 202)
            try await platform.processNotifications(at: Date(timeIntervalSinceNow: 1))
            #expect(try await platform.outcomes() == ["done superseded 1"])
            #expect(try await anew.lasts())
        }
    }
}
