import Foundation
import Postgres
import TestSupport
import Testing

@Suite("SQL")
struct SQLTests {
    @Test("any interpolated value becomes a parameter")
    func parameters() async throws {
        let name = "O'Brien'; DROP TABLE tenant; --"
        let sql: SQL = "SELECT \(name) AS name, \(7) AS number, \(nil as UUID?) AS nothing"
        #expect(sql.text == "SELECT $1 AS name, $2 AS number, $3 AS nothing")
        let row = try await SharedDatabase.pool().run(sql)[0]
        #expect(try row.get("name") == name)
        #expect(try row.get("number") == 7)
        #expect(try row.get("nothing", as: UUID?.self) == nil)
    }

    @Test("a description shows no values")
    func description() {
        let sql: SQL = "SELECT \("a secret")"
        #expect("\(sql)" == "SELECT $1")
    }

    @Test("more than ten values have the right positions")
    func manyValues() async throws {
        let sql: SQL = "SELECT ARRAY[\(1),\(2),\(3),\(4),\(5),\(6),\(7),\(8),\(9),\(10),\(11),\(12)] AS numbers"
        #expect(try await SharedDatabase.pool().run(sql)[0].get("numbers", as: [Int].self) == Array(1...12))
    }
}
