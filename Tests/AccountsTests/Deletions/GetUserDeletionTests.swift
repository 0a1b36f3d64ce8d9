@testable import Accounts
@testable import Encoding
import Foundation
import Server
@testable import Sessions
@testable import Signing
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("Get user deletion")
struct GetUserDeletionTests {
    @Test("a deletion returns the address of its record, which only callers with access to the tenant can read")
    func gets() async throws {
        try await withRestingOutbox { platform in
            let login = try await platform.login("Grace Hopper")
            let key = platform.acme.api_keys[0]
            let deleted = try await platform.call("DELETE", "/tenants/acme/users/\(login.user)", key: key.secret)
            let location = try #require(deleted.location)
            #expect(location.hasPrefix("/v1/tenants/acme/user-deletions/deletion_"))
            let path = String(location.dropFirst(3))
            let pending = try await platform.call("GET", path, key: key.secret)
            #expect(pending.status == 200, "\(pending.body)")
            #expect((pending.string("requester"), pending.string("requested_by")) == ("api", key.id))
            #expect((pending.string("user_id"), pending.string("status")) == (login.user, "pending"))
            #expect(pending.json["finished_at"] == nil)

            try await platform.runRevocations()
            let finished = try await platform.call("GET", path, key: key.secret)
            #expect(finished.string("status") == "finished")
            #expect(finished.header("ETag") != pending.header("ETag"))

            let id = path.split(separator: "/").last ?? ""
            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await platform.call("GET", "/tenants/globex/user-deletions/\(id)").isProblem(404, "not_found"))
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("GET", path, key: login.access).status == 401)
            #expect(try await platform.call("GET", "/tenants/acme/user-deletions/x").isProblem(404, "not_found"))
        }
    }
}
