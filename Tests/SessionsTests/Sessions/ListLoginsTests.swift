import Access
import Foundation
import Postgres
import Server
@testable import Sessions
import TestSupport
import Testing

@Suite("List logins")
struct ListLoginsTests {
    @Test("it lists the tenant's logins, newest first, with the state of their sessions, or those of an application")
    func lists() async throws {
        try await TestPlatform.run { platform in
            let (grace, alan) = (try await platform.login("Grace Hopper"), try await platform.login("Alan Turing", application: 1))
            _ = try await platform.login("Grace Hopper", platform.globex)
            _ = try await platform.ownerPool.run(
                "UPDATE session SET ended_at = now(), ended_reason = 'revoked' WHERE id = \(ID<Session>(grace.session))")
            let all = try await platform.call("GET", "/tenants/acme/logins")
            #expect(all.ids == [alan.session, grace.session])
            let logins = try #require(all.json["data"] as? [[String: any Sendable]])
            #expect(logins.map { $0["outcome"] as? String } == ["active", "ended"])
            #expect(logins[1]["ended_reason"] as? String == "revoked" && logins[0]["user_id"] as? String == alan.user)
            #expect(logins.allSatisfy { $0["is_silent"] as? Bool == false && $0["authenticated_at"] != nil })
            let application = alan.request.application.client_id
            #expect(try await platform.call("GET", "/tenants/acme/logins?application=\(application)").ids == [alan.session])
            #expect(try await platform.call("GET", "/tenants/acme/logins?user=x").status == 400)
            #expect(try await platform.call("GET", "/tenants/acme/logins", key: platform.acme.api_keys[1].secret).status == 403)
        }
    }
}
