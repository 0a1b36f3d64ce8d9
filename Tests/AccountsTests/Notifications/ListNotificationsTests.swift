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

@Suite("List notifications")
struct ListNotificationsTests {
    @Test("the list shows notifications and outcomes, filtered by type and outcome, without Apple's content")
    func list() async throws {
        try await TestPlatform.runByHand { platform in
            let login = try await platform.login()
            let subject = try await platform.subject(of: login.user)
            let client = platform.own.servicesID
            try await platform.send(.init(type: "consent-revoked", subject: subject, client: client))
            try await platform.send(.init(type: "email-disabled", subject: subject, client: client, email: "hidden@example.com"))
            try await platform.send(.init(type: "news", subject: subject, client: client))
            try await platform.processNotifications()
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

    @Test("another tenant's key, a missing scope and an unknown parameter are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/notifications"
            let answer = try await platform.call("GET", path, key: platform.globex.api_keys[0].secret)
            #expect(answer.isProblem(404, "not_found"))
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("GET", path + "?user=x").isProblem(400, "invalid"))
        }
    }
}
