import Testing

@testable import Web

@Suite("Host name")
struct HostNameTests {
    @Test(
        "the name of a Host header has no port and no final dot, and is in lower case",
        arguments: [
            ("login.test", "login.test"), ("LOGIN.Test:8443", "login.test"), ("login.test.", "login.test"), ("login.test.:1", "login.test"),
            ("login.test..", "login.test."), ("localhost", "localhost"), ("10.0.0.1.nip.io", "10.0.0.1.nip.io"),
        ])
    func name(authority: String, name: String) {
        #expect(HostName.name(in: authority) == name)
    }

    @Test(
        "an address or another text has no name",
        arguments: [
            "", ".", ":1", "10.0.0.1", "10.0.0.1:80", "[::1]", "[::1]:80", "login.test:x", "login\u{301}.test", "login.test\u{600}:1",
            "login.te\u{200D}st", "\u{212A}.test", "a b", "a@b", "a/b",
        ])
    func noName(authority: String) {
        #expect(HostName.name(in: authority) == nil)
    }

    @Test("the same host may have another case and another port")
    func same() {
        for (one, other) in [("a.test", "A.test:80"), ("[::1]", "[::1]:8080"), ("[::A]:1", "[::a]:2"), ("127.0.0.1:1", "127.0.0.1")] {
            #expect(HostName.isSame(one, as: other) && HostName.isSame(other, as: one))
        }
        for (one, other) in [
            ("a.test", "b.test"), ("a.test", "a.test.b"), ("", ""), ("x@a.test", "x@a.test"), ("[::1]", "[::2]"), ("[::1]", "::1"),
            ("127.0.0.1", "127.0.0.2"), ("a.test", "a.test\u{301}"), ("a.test:x", "a.test:x"),
        ] {
            #expect(!HostName.isSame(one, as: other), "\(one) \(other)")
        }
    }

    @Test("another host has the scheme and the port of the URL")
    func origin() {
        for (url, origin) in [
            ("https://login.test", "https://a.b"), ("https://login.test:8443", "https://a.b:8443"),
            ("http://127.0.0.1:80", "http://a.b:80"),
            ("http://[::1]:8080", "http://a.b:8080"), ("http://[::1]", "http://a.b"), ("https://login.test:1/x:2", "https://a.b:1"),
        ] {
            #expect(HostName.origin(of: "a.b", like: url) == origin)
        }
    }
}
