import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("List statements")
struct ListStatementsTests {
    @Test("the list starts with the newest month, has pages and contains no lines")
    func list() async throws {
        try await TestPlatform.runWithStatements { platform in
            let key = platform.acme.api_keys[0].secret
            let first = try await platform.call("GET", "/tenants/acme/statements?limit=1", key: key)
            let data = try #require(first.json["data"] as? [[String: any Sendable]])
            #expect(data.map { $0["period"] as? String } == ["2026-02"])
            #expect(data[0]["lines"] == nil)
            let after = try #require((first.json["list_metadata"] as? [String: any Sendable])?["after"] as? String)
            let second = try await platform.call("GET", "/tenants/acme/statements?limit=1&after=\(after)", key: key)
            #expect((second.json["data"] as? [[String: any Sendable]])?.map { $0["period"] as? String } == ["2026-01"])
        }
    }

    @Test("another tenant's key, a missing scope and an unknown parameter are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/statements"
            let answer = try await platform.call("GET", path, key: platform.globex.api_keys[0].secret)
            #expect(answer.problem == "not_found")
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).problem == "insufficient_scope")
            #expect(try await platform.call("GET", path + "?period=2026-01").status == 400)
            #expect(try await platform.call("GET", path).elements.isEmpty)
        }
    }
}
