import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Web

/// U+0600, U+0301 and U+200D join with the separator next to them into one `Character`. A parser of the wire must still
/// separate.
@Suite("Headers and queries from the wire")
struct WireHeadersTests {
    static let joining = ["\u{600}", "\u{301}", "\u{200D}"]

    private func request(_ name: HTTPField.Name, _ values: String...) -> Request {
        var head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        for value in values { head.headerFields.append(HTTPField(name: name, value: value)) }
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
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
        #expect(request(.accept, "\(joining), text/html;\(joining)").acceptsHTML)
        #expect(request(.accept, "a/b\(joining),text/html, */*").acceptsHTML)
        #expect(!request(.accept, "text/html\(joining)").acceptsHTML)
        #expect(!request(.accept, "text/html\(joining);q=1").acceptsHTML)
    }

    @Test("Accept names HTML, or accepts it like any other type")
    func accept() {
        for browser in ["text/html,application/xhtml+xml,*/*;q=0.8", "TEXT/HTML", "application/json, text/html;q=0.1"] {
            #expect(request(.accept, browser).acceptsHTML, "\(browser)")
        }
        for program in ["*/*", "application/json", "text/html;q=0", "text/html; q=0.000", "text/*", "", "text/htmlx"] {
            #expect(!request(.accept, program).acceptsHTML, "\(program)")
        }
    }

    @Test("a query's parameter has exactly its name and value", arguments: joining)
    func queries(_ joining: String) {
        for query in ["limit\(joining)=5", "\(joining)limit=5", "limit=5\(joining)", "limit=\(joining)5"] {
            #expect(throws: Problem.self) { _ = try Query(query, ["limit"]).page }
        }
    }

    @Test("cursors, traces and request IDs are ASCII", arguments: joining)
    func ids(_ joining: String) {
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
}
