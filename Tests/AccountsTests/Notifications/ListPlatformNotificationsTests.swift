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

@Suite("List platform notifications")
struct ListPlatformNotificationsTests {
    @Test("operators list the shared connection's notifications in pages, filtered by type and outcome")
    func lists() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login(somebody(), platform.globex)
            let subject = try await platform.subject(of: login.user)
            for type in ["news", "email-disabled", "consent-revoked"] {
                try await platform.send(.init(type: type, subject: subject, client: platform.shared.servicesID), to: nil)
            }
            try await platform.processNotifications()
            let path = "/platform/notifications"
            let first = try await platform.call("GET", path + "?limit=2")
            let second = try await platform.call("GET", path + "?limit=2&after=\(try #require(first.cursor("after")))")
            #expect((first.data + second.data).map { $0["type"] as? String } == ["consent-revoked", "email-disabled", "news"])
            #expect(try await platform.call("GET", path + "?type=news").data.count == 1)
            #expect(try await platform.call("GET", path + "?outcome=unknown_type").data.map { $0["type"] as? String } == ["news"])
            #expect(try await platform.call("GET", "/tenants/globex/notifications").data.isEmpty)
        }
    }

    @Test("a tenant's key, a missing scope and an invalid filter are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/platform/notifications"
            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).isProblem(403, "operator_required"))
            #expect(try await platform.call("GET", path, key: narrow).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("GET", path + "?outcome=x").isProblem(400, "invalid"))
        }
    }
}
