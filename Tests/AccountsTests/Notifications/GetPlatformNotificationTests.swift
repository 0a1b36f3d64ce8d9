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

@Suite("Get platform notification")
struct GetPlatformNotificationTests {
    @Test("operators see a notification of the shared connection, and a tenant's is not found there")
    func shown() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login(somebody(), platform.globex)
            let subject = try await platform.subject(of: login.user)
            try await platform.send(.init(type: "email-disabled", subject: subject, client: platform.shared.servicesID), to: nil)
            let path = "/platform/notifications/\(try #require(try await platform.call("GET", "/platform/notifications").ids.first))"
            let pending = try await platform.call("GET", path)
            #expect(pending.status == 200 && pending.string("state") == "pending" && pending.string("subject") == subject)
            try await platform.processNotifications()
            let done = try await platform.call("GET", path)
            #expect(done.string("state") == "done" && done.header("ETag") != pending.header("ETag"))
            let own = try await platform.login(somebody())
            try await platform.send(
                .init(type: "news", subject: try await platform.subject(of: own.user), client: platform.own.servicesID))
            let other = try #require(try await platform.call("GET", "/tenants/acme/notifications").ids.first)
            #expect(try await platform.call("GET", "/platform/notifications/\(other)").isProblem(404, "not_found"))
        }
    }

    @Test("a tenant's key, a missing scope and an unknown notification are refused")
    func refused() async throws {
        try await TestPlatform.runByHand { platform in
            let narrow = try await platform.narrowKey()
            let login = try await platform.login(somebody(), platform.globex)
            let subject = try await platform.subject(of: login.user)
            try await platform.send(.init(type: "email-disabled", subject: subject, client: platform.shared.servicesID), to: nil)
            let path = "/platform/notifications/\(try #require(try await platform.call("GET", "/platform/notifications").ids.first))"
            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).isProblem(403, "operator_required"))
            #expect(try await platform.call("GET", path, key: narrow).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("GET", "/platform/notifications/x").isProblem(404, "not_found"))
        }
    }
}
