@testable import Tenancy
import Testing

@Suite("Redirect URI")
struct RedirectURITests {
    @Test(
        "these URIs can be registered",
        arguments: [
            "https://app.example.com/callback", "https://app.example.com/callback?tenant=1", "http://127.0.0.1/callback",
            "http://127.0.0.1:3000/callback", "http://[::1]/callback", "http://localhost:8083/callback/acme", "com.example.app:/callback",
            "com.example.app://callback", "https://app.example.com", "https://app.example.com?x=%20", "https://localhost:8443/a/b@c",
            "https://10.0.0.1/", "com.example-2.app+x:callback?y=1",
        ])
    func accepted(_ uri: String) {
        #expect(RedirectURI.refusal(of: uri) == nil)
    }

    @Test(
        "these URIs cannot be registered",
        arguments: [
            "", "callback", "/callback", "//app.example.com/", "http://app.example.com/callback", "https://app.example.com/#x",
            "https://app.example.com/callback#", "https://user@app.example.com/", "https:///callback",
            "javascript:alert(1)", "data:text/html,x", "https://app.example.com/\r\nSet-Cookie: x",
            "https://app.example.com\\@evil.example/", "https://app.example.com/é", "http://127.0.0.1.evil.example/callback",
            "HTTPS://app.example.com/", "https://app.example.com:port/", "https://app.example.com:123456/", "https://app.example.com/%2",
            "https://app.example.com/%zz", "https://app.example.com/<x>", "https://app.example.com/\"", "https://-app.example.com/",
            "https://app.example.com./", "https://app.example.com/callbac\u{212A}", "https://app.example.com/callback\n", "https://",
            "http://localhost.evil.example/", "http://127.0.0.2/callback", "http://[::2]/", "com..example:/callback", ".com.example:/x",
            "com.example.app/callback", "https://app.example.com/" + String(repeating: "a", count: 2000),
        ])
    func refused(_ uri: String) {
        #expect(RedirectURI.refusal(of: uri) != nil)
    }

    @Test("a private-use scheme is neither https nor http")
    func privateUse() {
        #expect(RedirectURI.isPrivateUse("com.example.app:/callback"))
        for uri in ["https://app.example.com/", "http://127.0.0.1/callback"] { #expect(!RedirectURI.isPrivateUse(uri)) }
    }

    @Test("long URIs are checked without delay, valid or not")
    func long() {
        for end in ["", "#", "%"] {
            let uri = "https://\(String(repeating: "a-", count: 400))a/\(String(repeating: "%20", count: 300))\(end)"
            #expect((RedirectURI.refusal(of: uri) == nil) == end.isEmpty)
        }
    }

    @Test("the origin has the form that browsers send")
    func origin() {
        for (uri, origin) in [
            ("https://app.example.com/callback", "https://app.example.com"),
            ("https://App.Example.com:443/x?y=/z", "https://app.example.com"),
            ("https://app.example.com:8443", "https://app.example.com:8443"), ("https://app.example.com?x=1", "https://app.example.com"),
            ("http://localhost:80/", "http://localhost"), ("http://localhost:443/", "http://localhost:443"),
            ("http://127.0.0.1:3000/a", "http://127.0.0.1:3000"), ("http://[::1]:3000/a", "http://[::1]:3000"),
            ("com.example.app:/callback", nil), ("com.example.app://host/callback", nil),
        ] {
            #expect(RedirectURI.refusal(of: uri) == nil)
            #expect(RedirectURI.origin(of: uri) == origin)
        }
    }
}
