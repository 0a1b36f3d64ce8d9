import Foundation
import Testing

@testable import Web

@Suite("Query")
struct QueryTests {
    private enum Colour: String, CaseIterable { case red, green }

    private func refusedField(_ query: String, _ read: (Query) throws -> Void) throws -> [String] {
        let problem = try #require(throws: Problem.self) { try read(try Query(query, ["a", "limit", "after", "before"])) }
        #expect(problem.code == .invalid)
        return problem.fields.map(\.field)
    }

    @Test("each reader returns the value, and nil if it is absent")
    func readers() throws {
        let query = try Query(
            "a=x+y&b=red&c=true&d=2026-11-01T00:00:00%2B01:00&e=2026-11-01T00:00:00+01:00", ["a", "b", "c", "d", "e", "f"])
        #expect(try query.text("a") == "x y")
        #expect(try query.choice("b", Colour.self) == .red)
        #expect(try query.flag("c") == true)
        #expect(try query.time("d") == Date(timeIntervalSince1970: 1_793_487_600))
        #expect(try query.time("e") == query.time("d"))
        #expect(try query.text("f") == nil)
        #expect(try Query("", []).text("a") == nil)
    }

    @Test("an unknown, repeated or malformed parameter is rejected")
    func strict() throws {
        #expect(throws: Problem.self) { try Query("a=1&A=2", ["a"]) }
        #expect(throws: Problem.self) { try Query("a=1&a=1", ["a"]) }
        #expect(throws: Problem.self) { try Query("a=%ff", ["a"]) }
        #expect(throws: Problem.self) { try Query("a=1", []) }
    }

    @Test("a value of another type is rejected by name")
    func values() throws {
        #expect(try refusedField("a=%00") { _ = try $0.text("a") } == ["a"])
        #expect(try refusedField("a=xxx") { _ = try $0.text("a", upTo: 2) } == ["a"])
        #expect(try refusedField("a=blue") { _ = try $0.choice("a", Colour.self) } == ["a"])
        #expect(try refusedField("a=1") { _ = try $0.flag("a") } == ["a"])
        #expect(try refusedField("a=yesterday") { _ = try $0.time("a") } == ["a"])
        #expect(try refusedField("a=2026-02-30T00:00:00Z") { _ = try $0.time("a") } == ["a"])
    }

    @Test(
        "a limit is a whole number from 1 to 100", arguments: ["0", "101", "-1", "1.5", "x", "%2B5", "05", "1e1", "99999999999999999999"])
    func limit(_ text: String) throws {
        #expect(try refusedField("limit=\(text)") { _ = try $0.page } == ["limit"])
    }

    @Test("a cursor is one of ours, and only one is permitted")
    func cursors() throws {
        let cursor = PageRequest.cursor(UUID())
        #expect(throws: Never.self) { try Query("after=\(cursor)", ["after"]).page }
        for wrong in [
            String(cursor.dropLast()), cursor + "A", "!" + cursor.dropFirst(), "%2B" + cursor.dropFirst(), "%2F" + cursor.dropFirst(),
        ] {
            #expect(try refusedField("after=\(wrong)") { _ = try $0.page } == ["after"])
            #expect(try refusedField("before=\(wrong)") { _ = try $0.page } == ["before"])
        }
        #expect(try refusedField("after=\(cursor)&before=\(cursor)") { _ = try $0.page } == ["before"])
    }

    @Test("an empty parameter is rejected by name, because an empty filter must not show everything")
    func empty() throws {
        #expect(try refusedField("a=") { _ in } == ["a"])
        #expect(try refusedField("a") { _ in } == ["a"])
    }
}
