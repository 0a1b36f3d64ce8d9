@testable import Accounts
@testable import Encoding
import Foundation
import Postgres
import Server
@testable import Sessions
@testable import SignIn
@testable import Signing
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Replay notification")
struct ReplayNotificationTests {
    @Test("the list shows notifications and outcomes, filtered by type and outcome, without Apple's content")
    func list() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login()
            let subject = try await platform.subject(of: login.user)
            let client = platform.own.servicesID
            try await platform.send(.init(type: "consent-revoked", subject: subject, client: client))
            try await platform.send(.init(type: "email-disabled", subject: subject, client: client, email: "hidden@example.com"))
            try await platform.send(.init(type: "news", subject: subject, client: client))
            try await platform.workOff()
            let all = try await platform.call("GET", "/tenants/acme/notifications")
            #expect(all.data.map { $0["type"] as? String } == ["news", "email-disabled", "consent-revoked"])
            #expect(all.data.map { $0["outcome"] as? String } == ["unknown_type", "superseded", "applied"])
            #expect(!all.body.contains("hidden") && !all.body.contains("payload"))
            for (query, count) in [("type=news", 1), ("outcome=applied", 1), ("type=news&outcome=applied", 0), ("limit=2", 2)] {
                #expect(try await platform.call("GET", "/tenants/acme/notifications?\(query)").data.count == count, "\(query)")
            }
            #expect(try await platform.call("GET", "/tenants/acme/notifications?outcome=x").isProblem(400, "invalid"))
            let id = try #require(all.ids.last)
            let one = try await platform.call("GET", "/tenants/acme/notifications/\(id)", key: platform.acme.api_keys[0].secret)
            #expect(one.string("subject") == subject)
            #expect(one.string("client_id") == client)
            #expect(one.json["attempts"] as? Int == 1)
            #expect(try await platform.call("GET", "/tenants/globex/notifications").data.isEmpty)
            #expect(try await platform.call("GET", "/tenants/globex/notifications/\(id)").isProblem(404, "not_found"))
            #expect(try await platform.call("GET", "/platform/notifications").data.isEmpty)
        }
    }

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
            try await platform.workOff(at: Date(timeIntervalSinceNow: 125))
            #expect(try await platform.outcomes() == ["done unknown_user 0"])
            let tokens = try await browser.redeem(try #require(try await browser.callback(form)["code"]), request)
            #expect(tokens.status == 200)

            let replayed = try await platform.call("POST", "/tenants/acme/notifications/\(id)/replay")
            #expect(replayed.status == 202)
            #expect(replayed.string("state") == "pending")
            #expect(replayed.json["outcome"] == nil)
            try await platform.workOff(at: Date(timeIntervalSinceNow: 1))
            #expect(try await platform.outcomes() == ["done applied 1"])
            let told = try await browser.userInfo(tokens.string("access_token"), of: platform.acme)
            #expect(told.isOAuthError(401, "invalid_token"))
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
            try await platform.workOff()
            let anew = try await platform.login(person)
            let id = try #require(try await platform.call("GET", "/tenants/acme/notifications").ids.first)
            #expect(try await platform.call("POST", "/tenants/acme/notifications/\(id)/replay").status == 202)
            try await platform.workOff(at: Date(timeIntervalSinceNow: 1))
            #expect(try await platform.outcomes() == ["done superseded 1"])
            #expect(try await anew.lasts())
        }
    }

    @Test("only operators see the shared connection's notifications")
    func platform() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login(somebody(), platform.globex)
            try await platform.send(
                .init(
                    type: "consent-revoked", subject: try await platform.subject(of: login.user), client: platform.shared.servicesID),
                to: nil)
            try await platform.workOff()
            let id = try #require(try await platform.call("GET", "/platform/notifications?outcome=applied").ids.first)
            #expect(try await platform.call("GET", "/platform/notifications/\(id)").string("state") == "done")
            #expect(try await platform.call("GET", "/tenants/globex/notifications").data.isEmpty)
            let own = platform.globex.api_keys[0].secret
            #expect(try await platform.call("GET", "/platform/notifications", key: own).isProblem(403, "operator_required"))
            #expect(try await platform.call("POST", "/platform/notifications/\(id)/replay").status == 202)
            #expect(try await platform.audited("replayPlatformNotification").map(\.subject) == [id])
            try await platform.workOff(at: Date(timeIntervalSinceNow: 1))
            #expect(try await platform.outcomes() == ["done applied 1"])
        }
    }
}
