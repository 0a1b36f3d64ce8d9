import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Web

@Suite("JSON fields")
struct JSONFieldsTests {
    private enum Colour: String, CaseIterable { case red, green }

    private func request(_ body: String, type: String? = "application/json") -> Request {
        var headers = HTTPFields()
        if let type { headers[.contentType] = type }
        return Request(
            head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/", headerFields: headers),
            body: RequestBody(buffer: ByteBuffer(string: body)))
    }

    private func fields(_ body: String) async throws -> JSONFields {
        try await JSONFields(request(body))
    }

    /// Returns the fields that a reader rejects.
    private func refused(_ body: String, _ read: (inout JSONFields) -> Void) async throws -> [String] {
        var fields = try await fields(body)
        read(&fields)
        do { try fields.finish() } catch let problem as Problem {
            #expect(problem.code == .invalid)
            return problem.fields.map(\.field)
        }
        return []
    }

    @Test("each reader returns the value")
    func readers() async throws {
        var fields = try await fields(
            #"""
            {"text": "é", "block": "a\nb", "texts": ["a", "b"], "choice": "red", "choices": ["green", "red"], "integer": 7.0, "flag": false,
             "time": "2026-11-01T00:00:00.5+01:00", "object": {"inner": 1}, "null": null}
            """#)
        #expect(fields.text("text", 1...1) == "é")
        #expect(fields.block("block") == "a\nb")
        #expect(fields.texts("texts", count: 1...2) == ["a", "b"])
        #expect(fields.choice("choice", Colour.self) == .red)
        #expect(fields.choices("choices", Colour.self) == [.green, .red])
        #expect(fields.integer("integer", 0...7) == 7)
        #expect(fields.flag("flag") == false)
        #expect(fields.time("time") == Date(timeIntervalSince1970: 1_793_487_600.5))
        #expect(fields.object("object") { $0.integer("inner", 0...1) } == .some(1))
        #expect(fields.has("null") && fields.isNull("null") && !fields.has("absent"))
        #expect(fields.text("null") == nil)
        #expect(fields.text("absent") == nil)
        try fields.finish()
    }

    @Test("the objects of a list are read one by one, and an error contains the index")
    func objects() async throws {
        var fields = try await fields(#"{"list": [{"n": 1}, {}, {"n": null}]}"#)
        #expect(fields.objects("list", count: 1...3) { $0.integer("n", 0...1) } == [1, nil, nil])
        try fields.finish()
        func refusedOf(_ list: String) async throws -> [String] {
            try await refused("{\"list\": \(list)}") { fields in
                _ = fields.objects("list", count: 1...3, isRequired: true) { $0.integer("n", 0...1, isRequired: true) }
            }
        }
        #expect(try await refusedOf(#"[{"n": 1}, {"n": 2}, {"m": 1}]"#) == ["list[1].n", "list[2].n", "list[2].m"])
        #expect(try await refusedOf(#"[{"n": 1}, 5]"#) == ["list[1]"])
        for list in ["[]", "[{}, {}, {}, {}]", "{}", "null"] { #expect(try await refusedOf(list) == ["list"]) }
    }

    @Test("all errors are reported at once, without their values")
    func refusals() async throws {
        let body = #"""
            {"text": "a\u0000b", "long": "xxx", "block": "\u0000", "texts": ["a", "a"], "empty": [""], "choice": "blue", "choices": [],
             "integer": 8, "half": 0.5, "huge": 123456789012345678901234567890, "flag": "true", "time": "2026-02-30T00:00:00Z", "past": "2000-01-01T00:00:00Z",
             "object": {"inner": "x", "stranger": 1}, "list": {}, "stranger": 1}
            """#
        let refused = try await refused(body) { fields in
            _ = fields.text("text")
            _ = fields.text("long", 1...2)
            _ = fields.block("block")
            _ = fields.texts("texts", count: 1...2)
            _ = fields.texts("empty", count: 1...2)
            _ = fields.choice("choice", Colour.self)
            _ = fields.choices("choices", Colour.self)
            _ = fields.integer("integer", 0...7)
            _ = fields.integer("half", 0...7)
            _ = fields.integer("huge", 0...7)
            _ = fields.flag("flag")
            _ = fields.time("time")
            _ = fields.time("past", after: Date())
            _ = fields.object("object") { $0.integer("inner", 0...1) }
            _ = fields.texts("list", count: 0...2)
            _ = fields.text("required", isRequired: true)
        }
        #expect(
            refused == [
                "text", "long", "block", "texts[1]", "empty[0]", "choice", "choices", "integer", "half", "huge", "flag", "time", "past",
                "object.inner", "object.stranger", "list", "required", "stranger",
            ])
    }

    @Test("null counts as absent, even for a required field")
    func null() async throws {
        #expect(try await refused(#"{"a": null, "b": null}"#) { _ = ($0.text("a"), $0.integer("b", 0...1, isRequired: true)) } == ["b"])
    }

    @Test("the response to a body full of mistakes is not much larger than the body")
    func flood() async throws {
        let many = (0..<5000).map { "\"f\($0)\":1" }.joined(separator: ",")
        #expect(try await refused("{\(many)}") { _ in }.count == 20)
        let long = try await refused("{\"\(String(repeating: "x", count: 60_000))\":1}") { _ in }
        #expect(long.map(\.count) == [100])
    }

    @Test(
        "a body that is not a JSON object is invalid, and the error has the position",
        arguments: ["", "null", "[]", "\"a\"", "{", "{\"a\":1e400}", "{\"a\":1,\"a\":2}", "{\"a\":\"\\ud800\"}"])
    func malformed(_ body: String) async throws {
        let problem = try await #require(throws: Problem.self) { try await fields(body) }
        #expect(problem.code == .invalid)
        #expect(problem.detail.contains("JSON"))
    }

    @Test(
        "another media type is rejected, a parameter is not", arguments: [nil, "text/plain", "application/jsonp", "application/json+x", ""])
    func mediaType(_ type: String?) async throws {
        let problem = try await #require(throws: Problem.self) { try await JSONFields(request("{}", type: type)) }
        #expect(problem.code == .unsupportedMediaType)
        for type in ["application/json; charset=utf-8", "Application/JSON", " application/json"] {
            var fields = try await JSONFields(request("{}", type: type))
            try fields.finish()
        }
    }

    @Test("a missing body is accepted only where it is optional")
    func optional() async throws {
        var fields = try await JSONFields(request("", type: nil), isOptional: true)
        #expect(fields.text("a") == nil)
        try fields.finish()
        await #expect(throws: Problem.self) { try await JSONFields(request("", type: nil)) }
    }

    @Test("a body over the limit is too large")
    func limit() async throws {
        let body = "{\"a\":\"\(String(repeating: "x", count: 64 * 1024))\"}"
        await #expect(throws: NIOTooManyBytesError.self) { try await JSONFields(request(body)) }
    }
}
