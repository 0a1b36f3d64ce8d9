import Foundation
import Postgres
import TestSupport
import Testing

@Suite("SQLValue")
struct SQLValueTests {
    private let pool: DatabasePool

    init() async throws {
        pool = try await SharedDatabase.pool()
    }

    /// Reads PostgreSQL's value of a literal, binds the value, lets PostgreSQL print both, and reads it back.
    private func expect<Value: SQLValue & Equatable>(
        _ values: [(Value, String)], as type: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (value, literal) in values {
            let read = try await pool.run(SQL(unsafe: "SELECT '\(literal)'::\(type) AS value, NULL::\(type) AS nothing"))[0]
            #expect(try read.get("value", as: Value.self) == value, sourceLocation: sourceLocation)
            #expect(try read.get("nothing", as: Value?.self) == nil, sourceLocation: sourceLocation)
            let bound = try await pool.run("SELECT \(value) AS value, \(value)::text AS text, \(nil as Value?) AS nothing")[0]
            #expect(try bound.get("value", as: Value.self) == value, sourceLocation: sourceLocation)
            #expect(try bound.get("nothing", as: Value?.self) == nil, sourceLocation: sourceLocation)
            let printed: String = try await pool.run(SQL(unsafe: "SELECT '\(literal)'::\(type)::text AS text"))[0].get("text")
            #expect(try bound.get("text") == printed, sourceLocation: sourceLocation)
        }
    }

    @Test("Bool is boolean")
    func booleans() async throws {
        try await expect([(true, "t"), (false, "f")], as: "boolean")
    }

    @Test("integers, including their extremes")
    func integers() async throws {
        try await expect([(Int16.min, "-32768"), (0, "0"), (.max, "32767")], as: "smallint")
        try await expect([(Int32.min, "-2147483648"), (-1, "-1"), (.max, "2147483647")], as: "integer")
        try await expect([(Int64.min, "-9223372036854775808"), (1, "1"), (.max, "9223372036854775807")], as: "bigint")
        try await expect([(Int.min, "-9223372036854775808"), (.max, "9223372036854775807")], as: "bigint")
    }

    @Test("an integer of another width is read if it fits, and rejected otherwise")
    func integerWidths() async throws {
        let row = try await pool.run("SELECT 7::smallint AS small, 70000::integer AS large")[0]
        #expect(try row.get("small", as: Int.self) == 7)
        #expect(try row.get("large", as: Int64.self) == 70_000)
        #expect(throws: DatabaseError.self) { try row.get("large", as: Int16.self) }
    }

    @Test("Double is double precision, including infinities")
    func doubles() async throws {
        try await expect(
            [
                (0.1, "0.1"), (-1.5e300, "-1.5e300"), (.greatestFiniteMagnitude, "1.7976931348623157e308"),
                (.leastNonzeroMagnitude, "4.9406564584124654e-324"), (.infinity, "Infinity"),
            ], as: "double precision")
        #expect(try await pool.run("SELECT 'NaN'::float8 AS nan")[0].get("nan", as: Double.self).isNaN)
        #expect(try await pool.run("SELECT 0.5::real AS half")[0].get("half", as: Double.self) == 0.5)
    }

    @Test("String is text, in any script, and may be empty")
    func strings() async throws {
        try await expect(
            [("", ""), ("Grüße, 世界 👩‍👩‍👧", "Grüße, 世界 👩‍👩‍👧"), (String(repeating: "x", count: 100_000), String(repeating: "x", count: 100_000))],
            as: "text")
        let row = try await pool.run("SELECT 'a'::varchar(3) AS v, 'b'::char(3) AS c, 'd'::name AS n")[0]
        #expect(try [row.get("v"), row.get("c"), row.get("n")] == ["a", "b  ", "d"])
    }

    @Test("UUID is uuid")
    func uuids() async throws {
        let id = UUID()
        try await expect(
            [(id, id.uuidString), (UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), "00000000-0000-0000-0000-000000000000")],
            as: "uuid")
    }

    @Test("Date is timestamp with time zone, to the microsecond, on either side of the epochs")
    func dates() async throws {
        try await expect(
            [
                (Date(timeIntervalSince1970: 0), "1970-01-01 00:00:00Z"),
                (Date(timeIntervalSince1970: -0.000001), "1969-12-31 23:59:59.999999Z"),
                (Date(timeIntervalSinceReferenceDate: 0), "2001-01-01 00:00:00Z"),
                (Date(timeIntervalSinceReferenceDate: -63_113_904_000), "0001-01-01 00:00:00Z"),
                (Date(timeIntervalSinceReferenceDate: 788_918_400.123456), "2026-01-01 00:00:00.123456Z"),
                (Date(timeIntervalSinceReferenceDate: 63_113_904_000), "4001-01-01 00:00:00Z"),
            ], as: "timestamptz")
    }

    @Test("an infinite timestamp is not a Date")
    func infiniteTimestamp() async throws {
        let row = try await pool.run("SELECT 'infinity'::timestamptz AS never, \(Date(timeIntervalSince1970: .infinity))::text AS text")[0]
        #expect(throws: DatabaseError.self) { try row.get("never", as: Date.self) }
        #expect(try row.get("text") == "infinity")
    }

    @Test("[UInt8] is bytea, including zero bytes")
    func bytes() async throws {
        try await expect(
            [
                ([] as [UInt8], ""), ([0, 1, 255], "\\x0001ff"),
                (Array(repeating: 7, count: 300_000), "\\x" + String(repeating: "07", count: 300_000)),
            ], as: "bytea")
    }

    @Test("JSON is jsonb, and also reads json")
    func json() async throws {
        try await expect([(JSON(bytes: Array(#"{"ä": [1, null]}"#.utf8)), #"{"ä": [1, null]}"#)], as: "jsonb")
        let text = #"{"b":1,  "a":2}"#
        let row = try await pool.run(SQL(unsafe: "SELECT '\(text)'::json AS value"))[0]
        #expect(try row.get("value", as: JSON.self) == JSON(bytes: Array(text.utf8)))
    }

    @Test("arrays of all of them, including the empty one")
    func arrays() async throws {
        let id = UUID()
        try await expect([([String](), "{}"), (["", "NULL", "a,\"b\"", "ü"], #"{"","NULL","a,\"b\"",ü}"#)], as: "text[]")
        try await expect([([UUID](), "{}"), ([id, id], "{\(id),\(id)}")], as: "uuid[]")
        try await expect([([Int.min, .max], "{-9223372036854775808,9223372036854775807}")], as: "bigint[]")
        try await expect([([Int16(-1), 2], "{-1,2}")], as: "smallint[]")
        try await expect([([Int32(-1), 2], "{-1,2}")], as: "integer[]")
        try await expect([([true, false], "{t,f}")], as: "boolean[]")
        try await expect([([0.5, -1], "{0.5,-1}")], as: "double precision[]")
        try await expect([([Date(timeIntervalSince1970: 1)], #"{"1970-01-01 00:00:01Z"}"#)], as: "timestamptz[]")
        try await expect([([[0, 1], [], [255]] as [[UInt8]], #"{"\\x0001","\\x","\\xff"}"#)], as: "bytea[]")
        try await expect([([JSON(bytes: Array("1".utf8))], "{1}")], as: "jsonb[]")
    }

    @Test("an array with a NULL or a second dimension is rejected, not changed")
    func oddArrays() async throws {
        let row = try await pool.run("SELECT '{a,NULL}'::text[] AS holes, '{{a},{b}}'::text[] AS nested, '{}'::int[] AS numbers")[0]
        for column in ["holes", "nested", "numbers"] {
            #expect(throws: DatabaseError.self) { try row.get(column, as: [String].self) }
        }
    }

    private enum Plan: String, SQLValue, SQLArrayElement {
        case free, paid
    }

    @Test("an enum of strings is text, and an unknown case is rejected")
    func enums() async throws {
        try await expect([(Plan.free, "free")], as: "text")
        try await expect([([Plan.free, .paid], "{free,paid}")], as: "text[]")
        let row = try await pool.run("SELECT 'gold' AS plan")[0]
        #expect(throws: DatabaseError.self) { try row.get("plan", as: Plan.self) }
    }

    @Test("a wrapper forwards to its value")
    func wrappers() async throws {
        let id = WrappedID(uuid: UUID())
        try await expect([(id, id.uuid.uuidString)], as: "uuid")
        try await expect([([id], "{\(id.uuid)}")], as: "uuid[]")
    }
}

private struct WrappedID: Equatable {
    var uuid: UUID
}

extension WrappedID: SQLValue, SQLArrayElement {
    static var sqlType: SQLType { UUID.sqlType }
    func encode(into bytes: inout [UInt8]) { uuid.encode(into: &bytes) }
    init(decoding cell: SQLCell) throws(SQLMismatch) { self.init(uuid: try UUID(decoding: cell)) }
}
