import Foundation
@testable import Ledger
import Server
import TestSupport
import Testing

@Suite("List usage")
struct ListUsageTests {
    @Test("operators see every tenant's logins and users in pages, aggregated or not")
    func list() async throws {
        try await TestPlatform.run { platform in
            let march = "from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z"
            func listed(_ query: String) async throws -> [String] {
                let answer = try await platform.call("GET", "/usage?\(query)")
                #expect(answer.status == 200, "\(answer.body)")
                return (answer.json["data"] as? [[String: any Sendable]] ?? []).map {
                    "\($0["slug"] ?? "") \($0["logins"] ?? "") \($0["users"] ?? "")"
                }
            }
            #expect(Set(try await listed(march)) == ["acme 0 0", "globex 0 0"])
            let user = UUID()
            try await platform.append(
                [try moment("2026-02-28T23:59:59.999999Z"), try moment("2026-03-01T00:00:00Z"), try moment("2026-03-31T23:59:59.999999Z")],
                users: [user])
            try await platform.append([try moment("2026-03-10T00:00:00Z")], of: platform.globex)
            #expect(Set(try await listed(march)) == ["acme 2 0", "globex 1 0"])
            func completeUntil(_ slug: String) async throws -> Date {
                let answer = try await platform.call("GET", "/usage?\(march)")
                let tenant = (answer.json["data"] as? [[String: any Sendable]])?.first { $0["slug"] as? String == slug }
                return try moment(try #require(tenant?["complete_until"] as? String))
            }
            #expect(try await completeUntil("acme") < moment("2026-03-01T00:00:00Z"), "waiting events are not in the number of users")
            #expect(try await completeUntil("globex") == moment("2026-03-10T00:00:00Z"))
            try await platform.rollUp()
            #expect(Set(try await listed(march)) == ["acme 2 1", "globex 1 1"])
            #expect(abs(try await completeUntil("acme").timeIntervalSinceNow + RollUp.delay) < 30)
            #expect(Set(try await listed("from=2026-02-28T00:00:00Z&to=2026-03-02T00:00:00Z")) == ["acme 2 ", "globex 0 "])
            let first = try await platform.call("GET", "/usage?\(march)&limit=1")
            let after = try #require((first.json["list_metadata"] as? [String: any Sendable])?["after"] as? String)
            #expect(Set(try await listed("\(march)&limit=1") + listed("\(march)&limit=1&after=\(after)")) == ["acme 2 1", "globex 1 1"])
        }
    }

    @Test("a tenant's key and a partial day are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let own = try await platform.call("GET", "/usage", key: platform.acme.api_keys[0].secret)
            #expect((own.status, own.json["code"] as? String) == (403, "operator_required"))
            #expect(try await platform.call("GET", "/usage?from=2026-03-01T00:00:01Z&to=2026-03-02T00:00:00Z").status == 400)
        }
    }
}
