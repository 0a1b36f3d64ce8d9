import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("List all statements")
struct ListAllStatementsTests {
    @Test("operators list all tenants' statements of a month")
    func all() async throws {
        try await TestPlatform.runWithStatements { platform in
            let listed = try await platform.call("GET", "/platform/statements?period=2026-01")
            let slugs = (listed.json["data"] as? [[String: any Sendable]])?.compactMap { $0["tenant_slug"] as? String }
            #expect(slugs?.sorted() == ["acme", "globex"])
            for query in ["", "?period=2026", "?period=2026-13", "?period=2026-01-01"] {
                #expect(try await platform.call("GET", "/platform/statements\(query)").status == 400)
            }
            let own = try await platform.call("GET", "/platform/statements?period=2026-01", key: platform.acme.api_keys[0].secret)
            #expect(own.status == 403)
        }
    }

    @Test("a missing scope is refused, and a month without statements has an empty list")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/platform/statements?period=2026-01"
            #expect(try await platform.call("GET", path, key: narrow).problem == "insufficient_scope")
            let none = try await platform.call("GET", path)
            #expect(none.status == 200 && none.elements.isEmpty)
        }
    }
}
