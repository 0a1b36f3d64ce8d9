import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("End support access")
struct EndSupportAccessTests {
    @Test("the tenant ends it, and the operator's next call is refused; a second end changes nothing")
    func byTenant() async throws {
        try await TestPlatform.run { platform in
            let (_, secret) = try await platform.addOperator()
            let id = try #require(try await platform.startSupport(secret).string("id"))
            #expect(try await platform.users(secret).status == 200)
            let (_, owner) = try await platform.addMember("Ada", as: .builtIn(.owner))
            // An end needs no recent sign-in.
            let own = try await platform.startSession(owner, at: Date() - 3600).secret
            let path = "/tenants/acme/support-accesses/\(id)/end"
            let ended = try await platform.call("POST", path, key: own)
            #expect(ended.status == 200 && ended.string("state") == "ended" && ended.string("ended_by") == owner.description)
            try await eventually("the access is over") {
                try await platform.users(secret).isProblem(403, "support_required")
            }
            let again = try await platform.call("POST", path, key: platform.acmeKey)
            #expect(again.status == 200 && again.string("ended_by") == owner.description)
            #expect(try await platform.audit(id).map(\.action).sorted() == ["endSupportAccess", "startSupportAccess"])
        }
    }

    @Test("a caller without `members:write`, and another tenant, end none")
    func refusals() async throws {
        try await TestPlatform.run { platform in
            let (_, secret) = try await platform.addOperator()
            let id = try #require(try await platform.startSupport(secret).string("id"))
            let narrow = try await platform.acmeKey(["members:read"])
            #expect(try await platform.call("POST", "/tenants/acme/support-accesses/\(id)/end", key: narrow).status == 403)
            let globex = platform.globex.api_keys[0].secret
            for tenant in ["acme", "globex"] {
                #expect(try await platform.call("POST", "/tenants/\(tenant)/support-accesses/\(id)/end", key: globex).status == 404)
            }
            #expect(try await platform.users(secret).status == 200)
        }
    }
}
