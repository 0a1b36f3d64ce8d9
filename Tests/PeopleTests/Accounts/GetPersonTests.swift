import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Get person")
struct GetPersonTests {
    @Test("the account has the number of factors and active sessions, and no secret")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let operator_ = try await platform.addMember("Ada", as: .builtIn(.platformOperator), of: .platform)
            try await platform.addFactors(operator_.person)
            let shown = try await platform.call("GET", "/platform/people/\(operator_.person)")
            #expect(shown.status == 200 && shown.string("email") == "ada@example.com")
            #expect(shown.json["has_password"] as? Bool == true && shown.json["has_authenticator"] as? Bool == true)
            #expect(shown.json["recovery_codes"] as? Int == 2 && shown.json["passkeys"] as? Int == 1 && shown.json["sessions"] as? Int == 1)
            let memberships = shown.json["memberships"] as? [[String: any Sendable]]
            #expect(memberships?.count == 1 && memberships?[0]["role"] as? String == "operator" && memberships?[0]["tenant_id"] == nil)
            #expect(try await platform.call("GET", "/platform/people/\(ID<Person>(at: Date()))").isProblem(404, "not_found"))
            #expect(
                try await platform.call("GET", "/platform/people/\(operator_.person)", key: platform.acmeKey).isProblem(
                    403, "operator_required"))
        }
    }
}
