import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Web

/// U+0600, U+0301 and U+200D join with the separator next to them into one `Character`. A parser of the wire must still
/// separate.
@Suite("Text from the wire")
struct WireTextTests {
    static let joining = ["\u{600}", "\u{301}", "\u{200D}"]

    private func request(_ name: HTTPField.Name, _ values: String...) -> Request {
        var head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        for value in values { head.headerFields.append(HTTPField(name: name, value: value)) }
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("parts, prefixes, blanks and lists are read by bytes", arguments: joining)
    func parts(_ joining: String) {
        for separator in [",", ";", "=", " ", "/", "."] as [Unicode.Scalar] {
            for text in ["a\(joining)\(separator)b", "a\(separator)\(joining)b", "a\(joining)\(separator)\(joining)b"] {
                #expect(text.parts(at: separator).count == 2, "\(text.debugDescription)")
            }
        }
        #expect("\(joining), a".listElements.count == 2)
        #expect("Bearer \(joining)".begins(with: "Bearer "))
        #expect(" \(joining) ".withoutBlanks.isSame(as: joining))
        #expect("A\(joining)Z".asciiLowercased.isSame(as: "a\(joining)z"))
        #expect("7\(joining)".wholeASCIIMatch(of: /[0-9].?/) == nil)
    }

    @Test("texts are equal if their bytes are, not by Unicode equivalence")
    func same() {
        for (one, other) in [("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"), ("é", "e\u{301}"), ("Å", "\u{212B}")] {
            #expect(one == other)
            #expect(!one.isSame(as: other) && ![one].has(other) && !one.begins(with: other))
        }
        #expect("\u{212A}".wholeASCIIMatch(of: /[A-Z]/) == nil)
        #expect("１".wholeASCIIMatch(of: /\d/) == nil)
    }

    @Test("X-Forwarded-For: no text of the caller hides a proxy's comma", arguments: joining)
    func forwardedFor(_ joining: String) {
        for invented in ["1.2.3.4:\(joining)", "1.2.3.4\(joining)", joining, "1.2.3.4,\(joining)", "[\(joining)"] {
            for comma in [",", ", ", ",\(joining)", " , "] where !comma.contains(joining) || invented != joining {
                let line = invented + comma
                if comma.utf8.count < 3 {
                    #expect(ForwardedFor.address(in: [line + "203.0.113.9"], behind: 1) == "203.0.113.9", "\(line.debugDescription)")
                    #expect(ForwardedFor.address(in: [line + "203.0.113.9, 10.0.0.1"], behind: 2) == "203.0.113.9")
                }
                #expect(ForwardedFor.address(in: [line, "203.0.113.9"], behind: 1) == "203.0.113.9", "\(line.debugDescription)")
            }
        }
        // An entry of the proxy with such a character is not an address.
        for entry in ["203.0.113.9\(joining)", "\(joining)203.0.113.9", "[2001:db8::1\(joining)]:1"] {
            #expect(ForwardedFor.address(in: [entry], behind: 1) == nil, "\(entry.debugDescription)")
        }
    }

    @Test("If-Match: a list stays a list", arguments: joining)
    func ifMatch(_ joining: String) throws {
        let tag = EntityTag(Date(timeIntervalSince1970: 1_790_000_000))
        try request(.ifMatch, "zz\(joining), \(tag.text)").requireMatch(tag, isRequired: true)
        try request(.ifMatch, "zz\(joining),\(tag.text)").requireMatch(tag, isRequired: true)
        try request(.ifMatch, "\(tag.text),\(joining)").requireMatch(tag, isRequired: true)
        for wrong in ["\(joining)\(tag.text)", "\(tag.text)\(joining)", "*\(joining)", "\(joining)*"] {
            #expect(throws: Problem.self) { try request(.ifMatch, wrong).requireMatch(tag, isRequired: true) }
        }
    }

    @Test("Content-Type and Accept: a parameter is not part of the type", arguments: joining)
    func mediaTypes(_ joining: String) {
        #expect(request(.contentType, "application/json;\(joining)x").mediaType == "application/json")
        #expect(request(.contentType, "application/json\(joining);x").mediaType?.isSame(as: "application/json") == false)
        #expect(request(.contentType, "\(joining)application/json").mediaType?.isSame(as: "application/json") == false)
        #expect(request(.accept, "\(joining), text/html;\(joining)").asksForHTML)
        #expect(request(.accept, "a/b\(joining),text/html, */*").asksForHTML)
        #expect(!request(.accept, "text/html\(joining)").asksForHTML)
        #expect(!request(.accept, "text/html\(joining);q=1").asksForHTML)
    }

    @Test("Accept names HTML, or accepts it like any other type")
    func accept() {
        for browser in ["text/html,application/xhtml+xml,*/*;q=0.8", "TEXT/HTML", "application/json, text/html;q=0.1"] {
            #expect(request(.accept, browser).asksForHTML, "\(browser)")
        }
        for program in ["*/*", "application/json", "text/html;q=0", "text/html; q=0.000", "text/*", "", "text/htmlx"] {
            #expect(!request(.accept, program).asksForHTML, "\(program)")
        }
    }

    @Test("forms and queries: each pair is a pair, and names do not mix", arguments: joining)
    func forms(_ joining: String) throws {
        let form = try Form("a=1\(joining)&b\(joining)=2&\(joining)c=3&d=\(joining)4")
        #expect(Array(form.names) == ["a", "b\(joining)", "\(joining)c", "d"])
        #expect(form["a"]?.isSame(as: "1\(joining)") == true)
        #expect(form["b"] == nil && form["c"] == nil && form["d"]?.isSame(as: "\(joining)4") == true)
        // Two names that look alike are two names. A repeated one is an error.
        #expect(try Form("%C3%A9=1&e%CC%81=2").names.count == 2)
        #expect(try Form("%E2%84%AA=1")["K"] == nil)
        #expect(throws: Form.Refusal.self) { try Form("a\(joining)=1&a\(joining)=2") }
        for query in ["limit\(joining)=5", "\(joining)limit=5", "limit=5\(joining)", "limit=\(joining)5"] {
            #expect(throws: Problem.self) { _ = try Query(query, ["limit"]).page }
        }
    }

    @Test("times, cursors, traces and request IDs are ASCII", arguments: joining)
    func ids(_ joining: String) {
        for text in ["2026-11-01T00:00:00Z", "2026-11-01T00:00:00.5+01:00"] {
            #expect(RFC3339.date(text) != nil)
            for (index, _) in text.utf8.enumerated() {
                let hostile = String(
                    decoding: Array(text.utf8.prefix(index)) + Array(joining.utf8) + Array(text.utf8.dropFirst(index)), as: UTF8.self)
                #expect(RFC3339.date(hostile) == nil, "\(hostile.debugDescription)")
            }
        }
        let cursor = PageRequest.cursor(UUID())
        let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        for hostile in ["\(cursor)\(joining)", "\(joining)\(cursor)", String(cursor.dropLast()) + joining] {
            #expect(PageRequest.id(fromCursor: hostile) == nil)
        }
        for hostile in [
            "\(trace)\(joining)", "\(joining)\(trace)", trace.replacing("-", with: "\(joining)-"),
            trace.replacing("-", with: "-\(joining)"),
        ] {
            #expect(!Edge.isTraceParent(hostile))
        }
        for hostile in ["a\(joining)", "\(joining)a", "a\(joining).b"] { #expect(Edge.requestID(from: hostile).hasPrefix("req_")) }
    }

    /// The files that may search texts by Character, with the reason:
    private static let readers = [
        "Apple/ApplePrivateKey.swift": "a line that is not ASCII damages the PEM block, which is refused",
        "Apple/AppleSettings.swift": "a setting",
        "Apple/UserMigration.swift": "the address is ASCII by then",
        "AppleSimulator/Registry/Person.swift": "makes the ID of a name",
        "Sessions/Authorization/ReturnAddress.swift": "an origin of a registered URI, which is ASCII",
        "Users/RelinkUser.swift": "refuses an address that is not ASCII",
        "Tenancy/Applications/RedirectURI.swift": "refuses first what is not ASCII",
        "Access/Audit/AuditTrail.swift": "hexadecimal digits by then",
        "Tenancy/Connections/AppleIdentifiers.swift": "refused either way; only the advice differs",
        "Delivery/Webhooks/OutgoingRequest.swift": "the name of a type",
        "Ledger/Storage/RestoreUsage.swift": "the name of a file, from the command line",
        "Web/JSONWriter.swift": "a number that it wrote",
    ]

    @Test("no source that reads the wire splits, matches, searches or lowercases by Character")
    func sources() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardizedFileURL
        // A constant, and the functions themselves.
        let others = ["Billing/Money/Currency.swift", "Web/WireText.swift"]
        var read = 0
        for target in [
            "Web", "Access", "Delivery", "Tenancy", "Ledger", "Billing", "Sinks", "Users", "Signing", "Sessions", "Accounts", "SignIn",
            "Encoding", "Apple", "AppleSimulator", "DemoApplication",
        ] {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: target).path)
            where path.hasSuffix(".swift") {
                let name = "\(target)/\(path)"
                guard !others.contains(name) else { continue }
                read += 1
                let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                    #expect(!line.contains(/\.split\([^)]*separator: "/), "\(name):\(number + 1): \(line)")
                    #expect(
                        !line.contains(/\.(whole|first|prefix)Match\(of/) || line.contains("allSatisfy({ $0 < 0x80 })")
                            || line.contains("allSatisfy { $0 < 0x80 }"), "\(name):\(number + 1): \(line)")
                    // A setting, and hexadecimal digits.
                    guard Self.readers[name] == nil, !line.contains(/publicURL\.hasPrefix|uuidString\.lowercased/) else { continue }
                    #expect(
                        !line.contains(/\.(hasPrefix|hasSuffix|contains)\("|\.lowercased\(\)/), "\(name):\(number + 1): \(line)")
                }
            }
        }
        #expect(read > 200)
        for name in Self.readers.keys {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            #expect(text.contains(/\.(hasPrefix|hasSuffix|contains)\("|\.lowercased\(\)/), "\(name) needs no exception")
        }
    }
}
