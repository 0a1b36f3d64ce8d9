import HTTPTypes
import Hummingbird
import Testing

@testable import Web

@Suite("Routes")
struct RouteTableTests {
    private let table: RouteTable = {
        var table = RouteTable()
        let responder = CallbackResponder<WebContext> { _, _ in Response(status: .ok) }
        for (method, path, action) in [
            (.get, "/", "root"), (.get, "/t/{tenant}", "issuer"), (.get, "/t/{tenant}/keys", "keys"), (.post, "/t/{tenant}/keys", "newKey"),
            (.get, "/t/{tenant}/keys/{key}", "key"), (.get, "/t/shared/keys/current", "currentKey"), (.delete, "/t/{owner}", "delete"),
        ] as [(HTTPRequest.Method, String, String)] {
            table.add(method, path, action: action, responder: responder)
        }
        return table
    }()

    private func found(_ method: HTTPRequest.Method, _ path: String) -> (action: String, parameters: [String: String])? {
        table.find(method, path).map { route, parameters in
            (route.action, Dictionary(uniqueKeysWithValues: parameters.map { (String($0.key), String($0.value)) }))
        }
    }

    @Test("a route has its method, its segments and its own names of parameters")
    func finds() throws {
        #expect(found(.get, "/")?.action == "root")
        #expect(found(.get, "/t/acme")?.parameters == ["tenant": "acme"])
        #expect(found(.delete, "/t/acme")?.parameters == ["owner": "acme"])
        #expect(found(.head, "/t/acme/keys")?.action == "keys")
        #expect(found(.post, "/t/acme/keys")?.action == "newKey")
        #expect(try #require(found(.get, "/t/acme/keys/k%2F1")) == ("key", ["tenant": "acme", "key": "k%2F1"]))
    }

    @Test("a segment precedes a parameter, and a parameter matches if the segment leads nowhere")
    func precedence() throws {
        #expect(try #require(found(.get, "/t/shared/keys/current")) == ("currentKey", [:]))
        #expect(try #require(found(.get, "/t/shared/keys/other")) == ("key", ["tenant": "shared", "key": "other"]))
        #expect(try #require(found(.get, "/t/acme/keys/current")) == ("key", ["tenant": "acme", "key": "current"]))
    }

    @Test("a path has the methods of its segments, and not those of a parameter at their place")
    func methods() {
        var table = table
        let responder = CallbackResponder<WebContext> { _, _ in Response(status: .ok) }
        table.add(.post, "/t/{tenant}/keys/roll", action: "roll", responder: responder)
        #expect(table.methods("/t/acme/keys/roll") == ["POST"])
        #expect(table.find(.get, "/t/acme/keys/roll") == nil)
        #expect(table.methods("/t/acme/keys") == ["GET", "HEAD", "POST"])
        #expect(table.methods("/t/acme/keys/x") == ["GET", "HEAD"])
        #expect(table.methods("/t") == [])
    }

    @Test("empty segments do not count")
    func emptySegments() {
        #expect(found(.get, "//t///acme/")?.parameters == ["tenant": "acme"])
        #expect(found(.get, "")?.action == "root")
    }

    @Test("another path or method has no route", arguments: ["/t", "/x", "/t/acme/key", "/t/acme/keys/k/x", "/T/acme", "/t/acme/Keys"])
    func missing(_ path: String) {
        #expect(table.find(.get, path) == nil)
        #expect(table.find(.put, "/t/acme") == nil)
    }

    @Test("a path is separated and compared by bytes", arguments: ["\u{600}", "\u{301}", "\u{200D}"])
    func joined(_ joining: String) {
        #expect(found(.get, "/t/\(joining)/keys")?.parameters == ["tenant": joining])
        #expect(found(.get, "/t/acme\(joining)/keys")?.parameters == ["tenant": "acme\(joining)"])
        #expect(table.find(.get, "/t/acme/\(joining)keys") == nil)
        #expect(table.find(.get, "/t/acme/keys\(joining)") == nil)
        #expect(table.find(.get, "\(joining)/t/acme") == nil)
    }

    /// U+212A is a K for Swift's `==`.
    @Test("equivalent text is another path")
    func equivalent() {
        var table = RouteTable()
        table.add(.get, "/K", action: "k", responder: CallbackResponder<WebContext> { _, _ in Response(status: .ok) })
        #expect(table.find(.get, "/K")?.route.action == "k")
        #expect(table.find(.get, "/\u{212A}") == nil)
    }
}
