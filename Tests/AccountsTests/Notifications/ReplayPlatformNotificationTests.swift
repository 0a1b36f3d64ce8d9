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

@Suite("Replay platform notification")
struct ReplayPlatformNotificationTests {
    @Test("only operators see the shared connection's notifications")
    func platform() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login(somebody(), platform.globex)
            try await platform.send(
                .init(
                    type: "consent-revoked", subject: try await platform.subject(of: login.user), client: platform.shared.servicesID),
                to: nil)
            try await platform.processNotifications()
            let id = try #require(try await platform.call("GET", "/platform/notifications?outcome=applied").ids.first)
            #expect(try await platform.call("GET", "/platform/notifications/\(id)").string("state") == "done")
            #expect(try await platform.call("GET", "/tenants/globex/notifications").data.isEmpty)
            let own = platform.globex.api_keys[0].secret
            #expect(try await platform.call("GET", "/platform/notifications", key: own).isProblem(403, "operator_required"))
            #expect(try await platform.call("POST", "/platform/notifications/\(id)/replay").status == 202)
            #expect(try await platform.audited("replayPlatformNotification").map(\.subject) == [id])
            try await platform.processNotifications(at: Date(timeIntervalSinceNow: 1))
            #expect(try await platform.outcomes() == ["done applied 1"])
        }
    }

    @Test("a pending notification, a tenant's key, a missing scope and an unknown notification are refused")
    func refused() async throws {
        try await TestPlatform.runByHand { platform in
            let narrow = try await platform.narrowKey()
            let login = try await platform.login(somebody(), platform.globex)
            let subject = try await platform.subject(of: login.user)
            try await platform.send(.init(type: "email-disabled", subject: subject, client: platform.shared.servicesID), to: nil)
            let path = "/platform/notifications/\(try #require(try await platform.call("GET", "/platform/notifications").ids.first))"
            #expect(try await platform.call("POST", path + "/replay").isProblem(409, "conflict"))
            let own = platform.globex.api_keys[0].secret
            #expect(try await platform.call("POST", path + "/replay", key: own).isProblem(403, "operator_required"))
            #expect(try await platform.call("POST", path + "/replay", key: narrow).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("POST", "/platform/notifications/x/replay").isProblem(404, "not_found"))
            #expect(try await platform.audited("replayPlatformNotification").isEmpty)
        }
    }
}
