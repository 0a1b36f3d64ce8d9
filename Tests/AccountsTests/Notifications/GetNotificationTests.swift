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

@Suite("Get notification")
struct GetNotificationTests {
    @Test("a notification shows its state and outcome, and its version changes when it is processed")
    func shown() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login(somebody())
            let subject = try await platform.subject(of: login.user)
            try await platform.send(.init(type: "email-disabled", subject: subject, client: platform.own.servicesID))
            let path =
                "/tenants/acme/notifications/\(try #require(try await platform.call("GET", "/tenants/acme/notifications").ids.first))"
            let pending = try await platform.call("GET", path, key: platform.acme.api_keys[0].secret)
            #expect(pending.status == 200 && pending.string("state") == "pending" && pending.json["outcome"] == nil)
            #expect(pending.string("subject") == subject && pending.string("type") == "email-disabled")
            try await platform.processNotifications()
            let done = try await platform.call("GET", path)
            #expect(done.string("state") == "done" && done.string("outcome") != nil && done.json["attempts"] as? Int == 1)
            #expect(done.header("ETag") != pending.header("ETag"))
            #expect(!done.body.contains("payload"))
        }
    }

    @Test("another tenant's key, a missing scope and an unknown notification are refused")
    func refused() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login(somebody())
            let subject = try await platform.subject(of: login.user)
            try await platform.send(.init(type: "email-disabled", subject: subject, client: platform.own.servicesID))
            let path =
                "/tenants/acme/notifications/\(try #require(try await platform.call("GET", "/tenants/acme/notifications").ids.first))"
            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("GET", path.replacing("acme", with: "globex")).isProblem(404, "not_found"))
            #expect(try await platform.call("GET", "/tenants/acme/notifications/x").isProblem(404, "not_found"))
        }
    }
}
