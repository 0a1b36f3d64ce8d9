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

@Suite("Note relay")
struct NoteRelayTests {
    private struct Relayed: Sendable {
        let person: String
        let login: TestPlatform.LoggedIn
        let subject: String
        let email: String
        let platform: TestPlatform

        func report(_ type: String, _ seconds: TimeInterval, email: String? = nil) async throws {
            try await platform.send(
                .init(
                    type: type, subject: subject, client: platform.own.servicesID, happenedAt: Date(timeIntervalSinceNow: seconds),
                    email: email ?? self.email))
            try await platform.processNotifications()
        }

        func isDisabled() async throws -> Bool {
            let reported = try await login.browser.userInfo(login.access, of: login.request.tenant).json["email_disabled"] as? Bool
            let shown = try await platform.shown(login.user).json["email_disabled"] as? Bool
            #expect((reported ?? false) == shown)
            return shown ?? false
        }
    }

    private func withRelay(_ body: @Sendable @escaping (Relayed) async throws -> Void) async throws {
        try await TestPlatform.runByHand { platform in
            try await platform.subscribe(platform.acme)
            let person = somebody()
            let login = try await platform.login(person)
            let email = try #require(try await platform.user(login.user)?.email)
            try await body(
                .init(person: person, login: login, subject: try await platform.subject(of: login.user), email: email, platform: platform))
        }
    }

    @Test("disabled and enabled change the user, the claims and webhooks, each once")
    func both() async throws {
        try await withRelay { user in
            try await user.report("email-disabled", -60)
            #expect(try await user.isDisabled())
            try await user.report("email-disabled", -50)
            #expect(try await user.platform.events("user.email_disabled").map { $0["user_id"] as? String } == [user.login.user])
            let refreshed = try await user.login.browser.refresh(user.login.refresh, user.login.request)
            #expect(refreshed.status == 200)
            let again = try await user.platform.login(user.person)
            #expect(again.user == user.login.user)
            #expect(try claims(of: again.idToken)["email_disabled"] as? Bool == true)
            let anew = try await user.platform.login(somebody())
            #expect(try await user.platform.user(anew.user)?.isEmailDisabled == false)

            try await user.report("email-enabled", -40, email: user.email.uppercased())
            #expect(try await user.isDisabled() == false)
            #expect(try await user.platform.events("user.email_enabled").map { $0["user_id"] as? String } == [user.login.user])
            #expect(try await user.platform.outcomes() == Array(repeating: "done applied 1", count: 3))
            #expect(try await user.login.lasts())
            let reported = try await user.platform.events("user.email_disabled") + user.platform.events("user.email_enabled")
            #expect(reported.allSatisfy { Set($0.keys) == ["user_id"] })
            // One event per change, by Apple, and without the address.
            for action in ["user.email_disabled", "user.email_enabled"] {
                let audited = try await user.platform.audited(action)
                #expect(audited.map(\.subject) == [user.login.user])
                #expect(audited.map(\.actor) == ["apple"])
                #expect(audited.allSatisfy { Set($0.after.keys) == ["event_at"] && !$0.text.contains("@") })
            }
        }
    }

    @Test("the later event counts, in either order of arrival")
    func order() async throws {
        try await withRelay { user in
            try await user.report("email-enabled", -10)
            try await user.report("email-disabled", -20)
            #expect(try await user.platform.outcomes() == ["done applied 1", "done superseded 1"])
            #expect(try await user.isDisabled() == false)
            #expect(try await user.platform.events("user.email_disabled").isEmpty)
        }
    }

    @Test("an event about another address changes nothing")
    func otherAddress() async throws {
        try await withRelay { user in
            try await user.report("email-disabled", -10, email: "other@privaterelay.appleid.com")
            #expect(try await user.platform.outcomes() == ["done superseded 1"])
            #expect(try await user.isDisabled() == false)
        }
    }
}
