import Access
@testable import Billing
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Web

@Suite("Export limit")
struct ExportLimitTests {
    @Test("a place is free after the export, each owner has a limit, and tenants cannot take the platform's places")
    func places() async throws {
        let limit = ExportLimit()
        let (one, other) = (UUID(), UUID())
        var held: [ExportLimit.Place] = [try limit.place(of: one), try limit.place(of: one)]
        #expect(throws: Problem.self) { _ = try limit.place(of: one) }
        held.append(try limit.place(of: other))
        held.removeFirst()
        held.append(try limit.place(of: one))
        for _ in 1...3 { held.append(try limit.place(of: UUID())) }
        #expect(held.count == 6)
        let refusal = #expect(throws: Problem.self) { _ = try limit.place(of: UUID()) }
        #expect(refusal?.headers[.retryAfter] == "10")
        #expect(refusal?.detail.contains("in progress") == true)
        for _ in 1...2 { held.append(try limit.place(of: .platform)) }
        #expect(throws: Problem.self) { _ = try limit.place(of: .platform) }
        // The platform's exports take no place of a tenant either.
        held.removeFirst(6)
        for _ in 1...6 { held.append(try limit.place(of: UUID())) }
        held = []
        held.append(try limit.place(of: other))
        try await TestPlatform.run { platform in
            // More exports than places, one after another.
            for _ in 1...10 {
                let answer = try await platform.export("format=csv")
                #expect(answer.status == 200)
            }
        }
    }
}
