import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Rows")
struct RowsTests {
    @Test("ten thousand rows arrive complete and in order")
    func manyRows() async throws {
        let rows = try await SharedDatabase.pool().run(
            "SELECT n, repeat('x', 200) || n AS text FROM generate_series(1, \(10_000)) AS n ORDER BY n")
        #expect(rows.count == 10_000)
        #expect(rows.affected == 10_000)
        #expect(try rows.map { try $0.get("n", as: Int.self) } == Array(1...10_000))
        #expect(try rows[9_999].get("text", as: String.self).hasSuffix("x10000"))
    }

    @Test("a wrong column, a NULL and a wrong type are distinguished by name, without the value")
    func decodingErrors() async throws {
        let row = try await SharedDatabase.pool().run("SELECT 'a secret' AS name, NULL::text AS nothing")[0]
        func error(_ body: () throws -> Void) throws -> DatabaseError {
            try #require(#expect(throws: DatabaseError.self) { try body() })
        }
        let missing = try error { _ = try row.get("nmae", as: String.self) }
        #expect(missing.kind == .decoding && missing.column == "nmae" && missing.description.contains("not in the result"))
        let null = try error { _ = try row.get("nothing", as: String.self) }
        #expect(null.kind == .decoding && null.column == "nothing" && null.description.contains("NULL"))
        let mismatch = try error { _ = try row.get("name", as: Int.self) }
        #expect(mismatch.column == "name" && mismatch.description.contains("Int") && !mismatch.description.contains("secret"))
    }

    @Test("a row outlives its rows, and column names match exactly")
    func lifetime() async throws {
        let row = try #require(await SharedDatabase.pool().run(#"SELECT 1 AS "A", 2 AS a"#).first)
        #expect(try row.get("A") == 1)
        #expect(try row.get("a") == 2)
    }

    @Test("columns are found in any order, as often as they are read, and by several tasks")
    func order() async throws {
        let row = try #require(await SharedDatabase.pool().run("SELECT 1 AS a, 2 AS b, 3 AS c, NULL::int AS d").first)
        for name in ["c", "a", "a", "b", "d", "c", "b", "a", "d", "a"] {
            #expect(try row.get(name, as: Int?.self) == ["a": 1, "b": 2, "c": 3][name])
            #expect(throws: DatabaseError.self) { try row.get("e", as: Int.self) }
        }
        try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<8 { group.addTask { try (0..<300).map { try row.get(["a", "b", "c"][$0 % 3]) } } }
            for try await values in group { #expect(values == (0..<300).map { $0 % 3 + 1 }) }
        }
    }

    @Test("first returns nil without rows")
    func first() async throws {
        let pool = try await SharedDatabase.pool()
        #expect(try await pool.run("SELECT 1 AS n WHERE false").first { try $0.get("n", as: Int.self) } == nil)
        #expect(try await pool.run("SELECT 1 AS n").first { try $0.get("n", as: Int.self) } == 1)
    }
}
