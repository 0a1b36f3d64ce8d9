@testable import Billing
import Postgres
import TestSupport
import Testing

@Suite("Smallest coins")
struct SmallestCoinTests {
    @Test("database and code have the same smallest coin for every currency")
    func coins() async throws {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map(String.init)
        let currencies = letters.flatMap { first in letters.flatMap { second in letters.map { first + second + $0 } } }
            .compactMap { Currency($0) }
        #expect(currencies.count > 150)
        let owner = try TestDatabase.pool(try await TestDatabase.make().ownerURL)
        let rows = try await owner.run(
            "SELECT code, smallest_micros(code) AS micros FROM unnest(\(currencies.map(\.code))) WITH ORDINALITY AS listed (code) ORDER BY ordinality"
        )
        for (currency, row) in zip(currencies, rows) {
            #expect(try row.get("micros", as: Int.self) == currency.smallestMicros, "\(currency)")
        }
        #expect(rows.count == currencies.count)
    }
}
