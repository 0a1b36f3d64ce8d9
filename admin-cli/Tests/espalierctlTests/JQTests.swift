import Foundation
import Testing

@testable import espalierctl

@Suite("--jq")
struct JQTests {
    private static let response = #"""
        {"object":"list","data":[{"id":"a","n":1,"tags":["x","y"],"state":"active"},{"id":"b","n":2.5,"tags":[],"state":null}],\#
        "list_metadata":{"after":null},"a b":true}
        """#

    private func lines(_ expression: String) throws -> [String] {
        let filter = try #require(JQ(argument: expression), "\(expression)")
        let json = try JSONDecoder().decode(JSON.self, from: Data(Self.response.utf8))
        return try filter.results(for: json).map { String(decoding: $0.encoded(), as: UTF8.self) }
    }

    @Test(
        "paths, indexes, elements, the pipe, select, length and keys have the results of jq",
        arguments: [
            (".data[].id", [#""a""#, #""b""#]), (".data[0].n", ["1"]), (".data[-1].id", [#""b""#]), (".data[7]", ["null"]),
            (".data | length", ["2"]), (".data|.[1]|.n", ["2.5"]), (#".["a b"]"#, ["true"]), (#"."a b""#, ["true"]),
            (".nothing.at.all", ["null"]), (". | keys", [#"["a b","data","list_metadata","object"]"#]),
            (".data[0].tags[]", [#""x""#, #""y""#]),
            (".data.[0].tags | keys", ["[0,1]"]), (#".data[] | select(.state == "active") | .id"#, [#""a""#]),
            (#".data[]|select(.state!="active")|.id"#, [#""b""#]), (".data[] | select(.n >= 2) | .id", [#""b""#]),
            (".data[] | select( .n < 2.5 ) | .id", [#""a""#]), (".data[] | select(.state) | .id", [#""a""#]),
            (".data[] | select(.state == null) | .id", [#""b""#]), (#".data[].id | select(. > "a")"#, [#""b""#]),
            (".list_metadata.after | length", ["0"]), (".object | length", ["4"]), (" . ", [Self.whole]),
        ])
    func results(expression: String, expected: [String]) throws {
        #expect(try lines(expression) == expected)
    }

    private static let whole =
        #"{"a b":true,"data":[{"id":"a","n":1,"state":"active","tags":["x","y"]},{"id":"b","n":2.5,"state":null,"tags":[]}],"#
        + #""list_metadata":{"after":null},"object":"list"}"#

    @Test(
        "an expression outside this language is not accepted",
        arguments: [
            "", "data", ".data[", ".data]", ".a..b", ".a.", "..", ". |", "| .", ".[1.5]", ".[x]", "select()", "select(.a", "select(.a == )",
            "select(.a == [1])", "select(.a = 1)", "length.a", "lengthy", ".a, .b", "{a: .b}", ".\"a", ".[\"a]", ".a - 1", "map(.a)", ".a?",
            ".1",
        ])
    func rejected(expression: String) {
        #expect(JQ(argument: expression) == nil)
    }

    @Test("a separator separates next to any character", arguments: ["\u{600}", "\u{301}", "\u{200D}"])
    func separators(_ joining: String) throws {
        for text in [".data\(joining)|length", ".data|\(joining)length", ".a\(joining).b", ".data[\(joining)0]", "select(.a\(joining))"] {
            #expect(JQ(argument: text) == nil)
        }
        let json = JSON.object(["a\(joining)": .string("\(joining)b"), "a": .string("b")])
        #expect(try JQ(argument: ".\"a\(joining)\"")?.results(for: json) == [.string("\(joining)b")])
        #expect(try JQ(argument: ". | select(.a == \"b\") | .a")?.results(for: json) == [.string("b")])
        #expect(try JQ(argument: "select(.a == \"b\(joining)\")")?.results(for: json) == [])
    }

    @Test("texts that differ in bytes are not equal")
    func canonical() throws {
        #expect(try JQ(argument: "select(. == \"\u{E9}\")")?.results(for: .string("e\u{301}")) == [])
    }

    @Test(
        "a step that does not fit the response is a failure with the reason",
        arguments: [
            (".data.id", "A list has no member id."), (".object[0]", "A text has no element 0."),
            (".data[].n | .[]", "A number has no elements."),
            (".data[].tags[0] | keys", "A text has no keys."), ("select(.object > 1)", "A text has no order with 1."),
        ])
    func mismatch(expression: String, problem: String) async throws {
        let server = try StubServer(answering: .init(body: Self.response))
        defer { server.stop() }
        let run = try await Run(
            arguments: ["webhooks", "list", "--tenant", "acme", "--jq", expression], environment: Run.environment(for: server))
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.messages.hasPrefix("error: --jq does not fit the response: \(problem)\nnext: "), "\(run.messages)")
    }

    @Test("a command prints the results on lines, and texts without quotation marks")
    func command() async throws {
        let server = try StubServer(answering: .init(body: Examples.list(Examples.tenant, Examples.tenant)))
        defer { server.stop() }
        let environment = Run.environment(for: server)
        #expect(try await Run("tenants", "list", "--jq", ".data[].slug", environment: environment).output == "acme\nacme\n")
        #expect(try await Run("tenants", "list", "--all", "--jq", ".data | length", environment: environment).output == "2\n")
        #expect(try await Run("tenants", "list", "--jq", ".data[] | select(.plan == \"free\")", environment: environment).output == "")
        let wrong = try await Run("tenants", "list", "--jq", "map(.a)", environment: environment)
        #expect(wrong.status == 2 && wrong.messages.contains("Write a path (.data[].id), `|`,"), "\(wrong.messages)")
        let dry = try await Run("tenants", "suspend", "acme", "--dry-run", "--jq", ".path", environment: environment)
        #expect(dry.output == "/v1/tenants/acme/suspend\n")
    }
}
