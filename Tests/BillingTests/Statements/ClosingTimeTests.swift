import Access
@testable import Billing
import Foundation
@testable import Ledger
import Logging
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// The time when a month closes, and the clock that decides it.
@Suite("Closing time")
struct ClosingTimeTests {
    @Test("a process with a fast clock closes no month too early, and a simulated clock is trusted")
    func clock() async throws {
        try await TestPlatform.run { platform in
            let now = Date()
            try await platform.append([now])
            let pool = try TestDatabase.pool(platform.database.serverURL)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let later = Month(now).end.addingTimeInterval(2 * 86400)
            #expect(try await CloseStatements(database: PlatformDatabase(pool), logger: logger).pass(at: later) == 0)
            #expect(try await platform.count("statement") == 0)
            // A process with a slow clock is trusted, because the months that it closes are over.
            let earlier = Month(now).previous.start
            try await platform.plans([(earlier.ISO8601Format(), .enterprise)])
            #expect(try await CloseStatements(database: PlatformDatabase(pool), logger: logger).pass(at: earlier) == 0)
            #expect(try await CloseStatements(database: PlatformDatabase(pool), grace: 0, logger: logger).pass(at: later) == 1)
            #expect(try await platform.statement(Month(now).previous.description).status == 200)
            #expect(try await CloseStatements(database: PlatformDatabase(pool), simulatesClock: true, logger: logger).pass(at: later) == 2)
            #expect(try await platform.statement(Month(now).description).json["events"] as? Int == 1)
        }
    }

    @Test("the grace time is a setting, and a month closes at that time after its end, to the second")
    func grace() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            let pool = try TestDatabase.pool(platform.database.serverURL)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let closing = CloseStatements(database: PlatformDatabase(pool), grace: 3600, simulatesClock: true, logger: logger)
            #expect(try await closing.pass(at: try moment("2026-02-01T00:59:59Z")) == 0)
            #expect(try await closing.pass(at: try moment("2026-02-01T01:00:00Z")) == 1)
        }
    }

    @Test("months that were closed too early, as in development, hide no current login from an export")
    func closedAhead() async throws {
        try await TestPlatform.run { platform in
            let happened = Date().addingTimeInterval(-3600)
            let month = Month(happened)
            try await platform.append([happened])
            // This month and the next two or three.
            #expect(try await platform.close(at: month.next.next.next.end.addingTimeInterval(86400)) > 0)
            try await platform.append([happened.addingTimeInterval(1)])
            let query = "from=\(month.firstDay)T00:00:00Z"
            #expect(try await platform.export("format=cloudevents&tenant=acme&\(query)").lines.count == 2)
            #expect(try await platform.manifest("format=csv&\(query)").json["rows"] as? Int == 2)
            #expect(try await platform.close(at: month.next.next.next.next.end.addingTimeInterval(86400)) > 0)
            // The export contains charges of closed months, even if they closed early, and none of an open future month.
            let end = month.next.next.next.next.next.next.firstDay
            let charges = try await platform.export("format=focus&\(query)&to=\(end)T00:00:00Z").lines.dropFirst()
            #expect(charges.count == 2, "\(charges)")
            #expect(charges.count { $0.contains(",Correction,") && $0.hasSuffix(",closed") } == 1)
        }
    }
}
