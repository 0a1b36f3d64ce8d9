import Access
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
@testable import Sessions
@testable import SignIn
import Tenancy
import Testing

@Suite("Attempt cookie")
struct AttemptCookieTests {
    let login = ID<LoginID>(at: Date())

    private func request(_ cookies: [String]) -> Request {
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")
        for cookie in cookies { head.headerFields.append(HTTPField(name: .cookie, value: cookie)) }
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("over https, the cookie is sent with Apple's cross-site POST, and only from this host")
    func secure() {
        let cookie = AttemptCookie(login, publicURL: "https://login.test")
        #expect(cookie.name.hasPrefix("__Host-"))
        #expect(cookie.set("s") == ["\(cookie.name)=s; Max-Age=900; Path=/; HttpOnly; Secure; SameSite=None"])
        let removals = cookie.sent(in: request(["\(cookie.name)=s"])).removals()
        #expect(removals == ["\(cookie.name)=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=None"])
    }

    @Test("over http, which is for loopback, it lacks Secure and __Host-, which browsers would reject")
    func plain() {
        let cookie = AttemptCookie(login, publicURL: "http://localhost:8080")
        #expect(!cookie.name.hasPrefix("__"))
        #expect(cookie.set("s") == ["\(cookie.name)=s; Max-Age=900; Path=/; HttpOnly; SameSite=Lax"])
    }

    @Test("each attempt has its own cookie")
    func own() {
        let now = Date()
        let names = (0..<100).map { _ in AttemptCookie(ID(at: now), publicURL: "https://login.test").name }
        #expect(Set(names).count == 100)
    }

    @Test("a cookie is found among others by its whole name, in one header or in several")
    func found() {
        let cookie = AttemptCookie(login, publicURL: "https://login.test")
        let pair = "\(cookie.name)=secret"
        for cookies in [[pair], ["a=b; \(pair)"], ["\(pair); a=b"], ["a=b;\(pair);c"], ["a=b", pair], ["=x; ; \(pair)"]] {
            #expect(cookie.values(in: request(cookies)) == ["secret"], "\(cookies)")
        }
        for other in ["", "x\(pair)", "\(cookie.name)x=secret", cookie.name, "\(cookie.name)=", "a=\(pair)", "\(pair.uppercased())"] {
            #expect(cookie.values(in: request([other])) == [], "\(other)")
        }
        #expect(cookie.values(in: request([])) == [])
    }

    @Test("a value with an equals sign is one value")
    func equals() {
        let cookie = AttemptCookie(login, publicURL: "https://login.test")
        #expect(cookie.values(in: request(["\(cookie.name)=a=b"])) == ["a=b"])
    }

    @Test(
        "a character that combines with its neighbor hides no separator and matches no other name",
        arguments: ["\u{600}", "\u{301}", "\u{200D}", "\u{110BD}", "\u{FE0F}"])
    func joined(_ joiner: String) {
        let cookie = AttemptCookie(login, publicURL: "https://login.test")
        let pair = "\(cookie.name)=secret"
        for header in [
            "x=1\(joiner); \(pair)", "x=\(joiner)1; \(pair)", "x\(joiner)=1; \(pair)", "\(joiner)x=1; \(pair)", "x=\(joiner); \(pair)",
            "x=1;\(joiner); \(pair)", "x=1; \(joiner)=2; \(pair)", "\(pair);\(joiner)x=1", "\(pair); \(joiner)x=1", "\(pair);\(joiner)",
            "\(joiner);\(pair);\(joiner)=\(joiner)",
        ] {
            #expect(cookie.values(in: request([header])) == ["secret"], "\(header.unicodeScalars.map(\.value))")
        }
        for header in ["\(joiner)\(pair)", " \(joiner) \(pair)", "\(cookie.name)\(joiner)=secret", "x=1\(joiner)\(pair)"] {
            #expect(cookie.values(in: request([header])) == [], "\(header.unicodeScalars.map(\.value))")
        }
        // The character is part of the value, so the value differs.
        #expect(cookie.values(in: request(["\(cookie.name)=\(joiner)secret"])) != ["secret"])
    }

    @Test("all cookies with the name count, so a planted one displaces nothing")
    func sameName() {
        let cookie = AttemptCookie(login, publicURL: "http://localhost:8080")
        let (planted, pair) = ("\(cookie.name)=planted", "\(cookie.name)=secret")
        for cookies in [["\(planted); \(pair)"], ["\(pair); \(planted)"], [planted, pair], ["\(cookie.name)=; \(planted); a=b; \(pair)"]] {
            #expect(Set(cookie.values(in: request(cookies))) == ["planted", "secret"], "\(cookies)")
        }
    }

    @Test("parts have their own names, and are removed with the secret")
    func parts() {
        let cookie = AttemptCookie(login, publicURL: "https://login.test")
        let set = cookie.set("s", parts: ["one", "two"])
        #expect(set.map { $0.prefix { $0 != ";" } } == ["\(cookie.name)=s", "\(cookie.name)-0=one", "\(cookie.name)-1=two"])
        #expect(set.allSatisfy { $0.hasSuffix("; Max-Age=900; Path=/; HttpOnly; Secure; SameSite=None") })
        let sent = request(["\(cookie.name)-1=two; \(cookie.name)=s; \(cookie.name)-0=one"])
        #expect(cookie.values(in: sent) == ["s"])
        #expect(cookie.values(ofPart: 0, in: sent) == ["one"])
        #expect(cookie.values(ofPart: 1, in: sent) == ["two"])
        #expect(cookie.sent(in: sent).removals().count == 3)
    }

    @Test("the question of a page has its own cookie; a mark replaces it if it is too long, or too long together with the other cookies")
    func question() {
        let url = "https://login.test"
        let cookie = AttemptCookie(login, publicURL: url)
        let (mine, question) = ("\(cookie.name)=s", String(repeating: "q", count: 1500))
        func values(_ others: [String], _ question: String) -> [String] {
            cookie.set("s", question: question, in: request([([mine] + others).joined(separator: "; ")]), publicURL: url)
                .map { String($0.prefix { $0 != ";" }) }
        }
        let (secret, other) = (cookie.name, AttemptCookie(ID(at: Date()), publicURL: url).name)
        func parts(_ count: Int) -> [String] { ["\(other)-0=\(String(repeating: "p", count: count))"] }
        let (whole, mark) = (["\(secret)=s", "\(secret)-q=\(question)"], ["\(secret)=s", "\(secret)-q=asked"])
        #expect(values([], question) == whole)
        #expect(values([], String(repeating: "q", count: 3901)) == mark && values([], "") == mark)
        #expect(values(parts(5000), question) == whole)
        #expect(values(parts(5600), question) == mark)
        // So do cookies of the same response.
        func beside(_ count: Int) -> String? {
            let other = "\(secret)-n=\(String(repeating: "n", count: count)); Max-Age=900"
            return cookie.set("s", question: question, beside: [other], in: request([mine]), publicURL: url).last.map {
                String($0.prefix { $0 != ";" })
            }
        }
        #expect(beside(3900) == whole.last && beside(5600) == mark.last)
        // Cookies of others do not count.
        #expect(values(["x=\(String(repeating: "p", count: 7000))"], question) == whole)
        // A reload replaces the question.
        #expect(values(["\(secret)-q=\(String(repeating: "q", count: 3900))"] + parts(3000), question) == whole)
        let sent = cookie.sent(in: request(["\(mine); \(secret)-q=a.b"]))
        #expect(sent.questions == ["a.b"] && sent.secrets == ["s"])
    }

    @Test("cookies that the response removes or replaces leave their room to a question and to a name")
    func removed() {
        let url = "https://login.test"
        let (cookie, other) = (AttemptCookie(login, publicURL: url), AttemptCookie(ID(at: Date()), publicURL: url).name)
        func text(_ count: Int) -> String { String(repeating: "p", count: count) }
        // The page of an account, with the identity that waited before it, and another tab.
        let header = "\(cookie.name)=s; \(cookie.name)-q=\(text(3500)); \(cookie.name)-w=\(text(2500)); \(other)-0=\(text(2600))"
        let sent = cookie.sent(in: request([header]))
        func question(after removals: [String]) -> String? {
            cookie.set("s", question: text(2000), after: removals, in: request([header]), publicURL: url)
                .last.map { String($0.prefix { $0 != ";" }) }
        }
        #expect(question(after: sent.removals(keepingSecret: true)) == "\(cookie.name)-q=\(text(2000))")
        #expect(question(after: sent.removalsOfWaiting) == "\(cookie.name)-q=\(text(2000))")
        #expect(question(after: []) == "\(cookie.name)-q=asked")
        let names = request(["\(cookie.name)=s; \(cookie.name)-n=\(text(3800)); \(other)-0=\(text(1500))"])
        #expect(cookie.setKeptName(text(3800), in: names, publicURL: url).first?.hasPrefix("\(cookie.name)-n=ppp") == true)
    }

    @Test("everything that a browser sends of an attempt is read at once, and can be removed; of others, only the names that wait")
    func sent() {
        let cookie = AttemptCookie(login, publicURL: "https://login.test")
        let (mine, other) = (cookie.name, AttemptCookie(ID(at: Date()), publicURL: "https://login.test").name)
        let header =
            "\(mine)-w=w; \(mine)=s; a=b; \(mine)-q=a.b; \(mine)-0=p; \(other)=x; \(other)-w=x; \(other)-q=x; \(other)-n=n; "
            + "\(mine)-n=m; \(mine)-a=a; \(other)-a=x; "
            + "\(mine)-w=; \(mine)-ww=x; \(mine)-w\u{301}=x; \(mine)w=x; \(mine)-Q=x; \(other)\u{600}-n=x; \(mine)=t"
        let sent = cookie.sent(in: request([header]))
        #expect(sent.secrets == ["s", "t"] && sent.waiting == ["w"] && sent.questions == ["a.b"] && sent.keptNames == ["n", "m"])
        #expect(sent.attempts == ["a"])
        func names(_ cookies: [String]) -> [String] { cookies.map { String($0.prefix { $0 != "=" }) } }
        let rest = ["0", "a", "n", "q", "w"].map { "\(mine)-\($0)" }
        #expect(names(sent.removals()) == [mine] + rest)
        #expect(names(sent.removals(keepingSecret: true)) == rest)
        #expect(names(sent.removalsOfWaiting) == ["\(mine)-w"])
        let none = cookie.sent(in: request(["\(other)=x; \(other)-w=x; \(mine)-w="]))
        #expect(none.removals().isEmpty && none.removalsOfWaiting.isEmpty && none.waiting.isEmpty)
    }

    @Test("a question and its attempt wait for a link in a mail; if there is no room, the parts of others go, and too long ones do not fit")
    func mailed() {
        let url = "https://login.test"
        let cookie = AttemptCookie(login, publicURL: url)
        let (mine, other) = (cookie.name, AttemptCookie(ID(at: Date()), publicURL: url).name)
        func text(_ count: Int) -> String { String(repeating: "p", count: count) }
        func values(_ others: [String]) -> [String] {
            let header = (["\(mine)=s", "\(mine)-q=\(text(2000))"] + others).joined(separator: "; ")
            return cookie.set("s", question: text(2000), of: text(1500), in: request([header]), publicURL: url)
                .map { String($0.prefix { $0 != ";" }) }
        }
        let whole = ["\(mine)=s", "\(mine)-q=\(text(2000))", "\(mine)-a=\(text(1500))"]
        #expect(values([]) == whole)
        // Cookies that the response replaces do not count.
        #expect(values(["\(mine)-a=\(text(1500))", "\(other)-0=\(text(3000))"]) == whole)
        #expect(values(["\(other)=t", "\(other)-0=\(text(3600))"]) == ["\(other)-0="] + whole)
        #expect(cookie.canHold(text(3900), of: text(2500)) && cookie.canHold(text(2500), of: text(3900)))
        #expect(!cookie.canHold(text(3901), of: "a") && !cookie.canHold("a", of: text(3901)))
        #expect(!cookie.canHold(text(3300), of: text(3300)))
    }

    @Test("parts that exceed the limit together are removed for a new attempt; other cookies stay")
    func room() {
        let url = "https://login.test"
        let old = (0..<3).map { _ in AttemptCookie(ID(at: Date()), publicURL: url) }
        let long = String(repeating: "p", count: 2000)
        let header = old.map { "\($0.name)=s; \($0.name)-0=\(long)" }.joined(separator: "; ") + "; __Host-espalier-x-0=1; other-0=\(long)"
        func removals(_ parts: [String]) -> [String] {
            AttemptCookie.removals(toMakeRoomFor: parts, in: request([header]), publicURL: url)
        }
        #expect(removals([]) == [])
        #expect(removals([String(repeating: "p", count: 500)]) == [])
        #expect(removals([long]).count == 3)
        #expect(Set(removals([long]).map { String($0.prefix { $0 != "=" }) }) == Set(old.map { "\($0.name)-0" }))
        #expect(removals([long]).allSatisfy { $0.contains("=; Max-Age=0; ") })
        // A question leaves its mark, as long as the secret stays.
        let asking = request(["\(old[0].name)=s; \(old[0].name)-q=\(String(repeating: "p", count: 6000))"])
        let marked = AttemptCookie.removals(toMakeRoomFor: [long], in: asking, publicURL: url)
        #expect(marked.count == 1 && marked[0].hasPrefix("\(old[0].name)-q=asked; Max-Age=900; "))
        // A name that no attempt has does not get into a header.
        let strange = request(["__Host-espalier-\u{600}\u{600}\u{600}\u{600}\u{600}\u{600}-0=\(long)\(long)\(long)\(long)"])
        #expect(AttemptCookie.removals(toMakeRoomFor: [long], in: strange, publicURL: url) == [])
    }

    @Test("short attempts and those of parallel tabs are removed too, at most 50 cookies per response")
    func flooded() {
        let url = "https://login.test"
        let secret = String(repeating: "s", count: 43)
        func removals(_ cookies: [String]) -> [String] {
            AttemptCookie.removals(toMakeRoomFor: [], secret: secret, in: request([cookies.joined(separator: "; ")]), publicURL: url)
        }
        func names(_ count: Int) -> [String] { (0..<count).map { _ in AttemptCookie(ID(at: Date()), publicURL: url).name } }
        #expect(removals(names(80).map { "\($0)=\(secret)" }) == [])
        #expect(removals(names(200).map { "\($0)=\(secret)" }).count == AttemptCookie.mostRemovals)
        #expect(removals(names(2500).map { "\($0)-0=" }).count == AttemptCookie.mostRemovals)
        // These are parallel tabs with long states, then a short one. The parts are removed and the secrets stay.
        let parallel = names(4).flatMap { ["\($0)=\(secret)", "\($0)-0=\(String(repeating: "p", count: 2000))"] }
        #expect(removals(parallel).count == 4 && removals(parallel).allSatisfy { $0.contains("-0=; Max-Age=0") })
        // A name that appears several times is removed once.
        let name = names(1)[0]
        #expect(removals(Array(repeating: "\(name)=\(secret)", count: 200)).count == 1)
    }
}
