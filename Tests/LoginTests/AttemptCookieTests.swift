import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Tenancy
import Testing

@testable import Login

@Suite("Attempt cookie")
struct AttemptCookieTests {
    let login = ID<LoginID>(at: Date())

    private func request(_ cookies: [String]) -> Request {
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
        for cookie in cookies { head.headerFields.append(HTTPField(name: .cookie, value: cookie)) }
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("over https it comes along with Apple's cross-site POST, and only from this host")
    func secure() {
        let cookie = AttemptCookie(login, publicURL: "https://login.test")
        #expect(cookie.name.hasPrefix("__Host-"))
        #expect(cookie.set("s") == "\(cookie.name)=s; Max-Age=900; Path=/; HttpOnly; Secure; SameSite=None")
        #expect(cookie.removal == "\(cookie.name)=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=None")
    }

    @Test("over http, which is for loopback, browsers would drop Secure and __Host-")
    func plain() {
        let cookie = AttemptCookie(login, publicURL: "http://localhost:8080")
        #expect(!cookie.name.hasPrefix("__"))
        #expect(cookie.set("s") == "\(cookie.name)=s; Max-Age=900; Path=/; HttpOnly; SameSite=Lax")
    }

    @Test("each attempt has its own")
    func own() {
        let now = Date()
        let names = (0..<100).map { _ in AttemptCookie(ID(at: now), publicURL: "https://login.test").name }
        #expect(Set(names).count == 100)
    }

    @Test("it is found among others, in one header or in several, by its whole name")
    func found() {
        let cookie = AttemptCookie(login, publicURL: "https://login.test")
        let pair = "\(cookie.name)=secret"
        for cookies in [[pair], ["a=b; \(pair)"], ["\(pair); a=b"], ["a=b;\(pair);c"], ["a=b", pair], ["=x; ; \(pair)"]] {
            #expect(cookie.value(in: request(cookies)) == "secret", "\(cookies)")
        }
        for other in ["", "x\(pair)", "\(cookie.name)x=secret", cookie.name, "\(cookie.name)=", "a=\(pair)", "\(pair.uppercased())"] {
            #expect(cookie.value(in: request([other])) == nil, "\(other)")
        }
        #expect(cookie.value(in: request([])) == nil)
    }

    @Test("a value with an equals sign is one value")
    func equals() {
        let cookie = AttemptCookie(login, publicURL: "https://login.test")
        #expect(cookie.value(in: request(["\(cookie.name)=a=b"])) == "a=b")
    }
}
