import Tenancy
import Testing

@Suite("Redirect URI")
struct RedirectURITests {
    @Test(
        "these can be registered",
        arguments: [
            "https://app.example.com/callback", "https://app.example.com/callback?tenant=1", "http://127.0.0.1/callback",
            "http://127.0.0.1:3000/callback", "http://[::1]/callback", "http://localhost:8083/callback/acme", "com.example.app:/callback",
            "com.example.app://callback",
        ])
    func accepted(_ uri: String) {
        #expect(RedirectURI.refusal(of: uri) == nil)
    }

    @Test(
        "these cannot",
        arguments: [
            "", "callback", "/callback", "//app.example.com/", "http://app.example.com/callback", "https://app.example.com/#x",
            "https://app.example.com/callback#", "https://user@app.example.com/", "https://*.example.com/", "https:///callback",
            "javascript:alert(1)", "data:text/html,x", "myapp://callback", "https://app.example.com/\r\nSet-Cookie: x",
            "https://app.example.com\\@evil.example/", "https://app.example.com/é", "http://127.0.0.1.evil.example/callback",
        ])
    func refused(_ uri: String) {
        #expect(RedirectURI.refusal(of: uri) != nil)
    }
}
