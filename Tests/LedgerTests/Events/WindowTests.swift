import Foundation
@testable import Ledger
import Testing
@testable import Web

@Suite("Usage window")
struct WindowTests {
    private let names = ["from", "to"]
    let now = Date(timeIntervalSince1970: 1_795_250_000)  // 2026-11-21T08:33:20Z

    private func date(_ text: String) throws -> Date {
        try Date(text, strategy: .iso8601)
    }

    @Test("by default the window is the current UTC month")
    func month() throws {
        let window = try Window(Query("", names), at: now)
        #expect(window.from == (try date("2026-11-01T00:00:00Z")))
        #expect(window.to == (try date("2026-12-01T00:00:00Z")))
    }

    @Test(
        "RFC 3339 is parsed with an offset, a fraction, and an unencoded plus",
        arguments: [
            "2026-11-01T01:00:00%2B01:00", "2026-11-01T01:00:00+01:00", "2026-11-01T00:00:00.000Z", "2026-11-01T00:00:00Z",
            "2026-11-01t00:00:00z",
        ])
    func forms(_ text: String) throws {
        #expect(try Window(Query("from=\(text)&to=2026-11-02T00:00:00Z", names), at: now).from == (try date("2026-11-01T00:00:00Z")))
    }

    @Test(
        "invalid values are refused",
        arguments: [
            "from=yesterday", "from=2026-11-01", "from=2026-13-01T00:00:00Z", "to=2026-11-01T00:00:00Z&from=2026-11-01T00:00:00Z",
            "from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z", "from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", "since=1",
            "from=2026-11-01T00:00:00Z&from=2026-11-01T00:00:00Z", "from=%", "from=2026-11-01T00:00:00Zgarbage",
            "from=2026-02-30T00:00:00Z", "from=2026-11-01T24:00:00Z", "from=2026-11-01T00:00:60Z", "from=12026-11-01T00:00:00Z",
            "from=2026-11-01T00:00:00", "from=2026-11-01T00:00:00Z%00",
        ])
    func refused(_ query: String) {
        #expect(throws: Problem.self) { try Window(Query(query, names), at: now) }
    }
}
