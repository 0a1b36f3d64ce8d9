import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

extension TestPlatform {
    /// Runs a platform with closed statements of both tenants for January and February 2026.
    static func runWithStatements(_ body: @Sendable @escaping (TestPlatform) async throws -> Void) async throws {
        try await run { platform in
            for tenant in [platform.acme, platform.globex] {
                try await platform.plans([("2026-01-01T00:00:00Z", .free)], of: tenant)
                try await platform.append([try moment("2026-01-05T00:00:00Z"), try moment("2026-01-06T00:00:00Z")], of: tenant)
            }
            #expect(try await platform.close(at: "2026-03-02T00:00:00Z") == 4)
            try await body(platform)
        }
    }
}
