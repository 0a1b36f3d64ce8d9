import Testing

@testable import espalierctl

@Suite("typed and received text")
struct WireTextTests {
    @Test("a separator separates next to any character", arguments: ["\u{600}", "\u{301}", "\u{200D}"])
    func separators(_ joining: String) {
        #expect("a\(joining):b".parts(at: ":").count == 2 && "a:\(joining)b".parts(at: ":").count == 2)
        for text in ["100\(joining):0.005", "100:\(joining)0.005", "\(joining)100:0.005"] { #expect(PriceTier(argument: text) == nil) }
        for text in ["5\(joining)h", "\(joining)5h", "5h\(joining)"] { #expect(Span(argument: text) == nil) }
        for text in ["2026-11-01\(joining)", "2026\(joining)-11-01", "2026-\(joining)11-01"] {
            #expect(Day(argument: text) == nil && Instant(argument: text) == nil)
        }
        #expect(AppleKeyFile.keyID(inName: "keys\(joining)/AuthKey_ABCDE12345.p8") == "ABCDE12345")
        #expect(AppleKeyFile.keyID(inName: "AuthKey_ABCDE12345\(joining).p8") == nil)
    }

    @Test("a request at the loopback port is split by bytes", arguments: ["\u{600}", "\u{301}", "\u{200D}"])
    func callback(_ joining: String) {
        func request(_ target: String, _ more: String = "Host: 127.0.0.1:7") -> CallbackRequest? {
            CallbackRequest(head: Array("GET \(target) HTTP/1.1\r\n\(more)".utf8))
        }
        let escaped = joining.utf8.map { "%\(String($0, radix: 16))" }.joined()
        #expect(request("/callback?a=\(escaped)&b=1")?.query == ["a": joining, "b": "1"])
        #expect(request("/callback?a\(escaped)=1&a=2")?.query.count == 2)
        // Raw bytes outside ASCII are not part of a target.
        #expect(request("/callback?a=\(joining)&b=1") == nil && request("/callback\(joining)?a=1") == nil)
        #expect(request("/callback?a=1&a=2") == nil && request("/callback?a=1&%61=2") == nil)
        for target in ["/callback?a=%", "/callback?a=%4", "/callback?a=%zz", "/callback?a=%ff", "/call back"] {
            #expect(request(target) == nil)
        }
        #expect(request("/callback", "Host: a\r\nhOST: b") == nil)
        #expect(request("/callback", "Host: 127.0.0.1:7\(joining)")?.host != "127.0.0.1:7")
        #expect(request("/callback", "Host:\(joining)127.0.0.1:7")?.host != "127.0.0.1:7")
        #expect(request("/callback", "Host: a\r\nHost:\(joining)b") == nil)
        #expect(CallbackRequest(head: Array("POST /callback HTTP/1.1".utf8)) == nil && CallbackRequest(head: [0xFF]) == nil)
        #expect(CallbackRequest(head: []) == nil)
        #expect(HostName.shown("a\(joining)b.\u{1B}c d") == "ab.cd" && HostName.shown(joining) == nil)
        #expect(HostName.shown(String(repeating: "a", count: 100))?.utf8.count == 60)
        let token = "eps_" + String(repeating: "a", count: 42)
        #expect(LoginToken("\(token)a") != nil && LoginToken("\(token)\u{212A}") == nil && LoginToken("\(token)a\(joining)") == nil)
        #expect(LoginToken("\(token)a\n") == nil)
    }

    @Test("a Kelvin sign is not a K, and only ASCII digits are digits")
    func lookalikes() {
        #expect(AppleKeyFile.keyID(inName: "AuthKey_ABCDE1234\u{212A}.p8") == nil)
        #expect(throws: Failure.self) { try APIKey("esk_live_\u{212A}") }
        #expect(Span(argument: "１２h") == nil && Micros(argument: "１") == nil)
        #expect(!"K".isSame(as: "\u{212A}"))
    }
}
