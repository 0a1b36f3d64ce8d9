import Testing

@testable import Domains

@Suite("Domain name")
struct DomainNameTests {
    private static let publicURL = "https://Login.Example.com:8443"

    @Test(
        "a host name has at least 2 labels of letters, digits and hyphens",
        arguments: [
            "login.customer.com", "a.b", "1.de", "login-1.customer.co.uk", "xn--bcher-kva.example", "example.com", "notlogin.example.com",
            "login.example.com.customer.com", "a.xn--p1ai", String(repeating: "a", count: 63) + ".example",
        ])
    func accepted(host: String) {
        #expect(DomainName.refusal(of: host, publicURL: Self.publicURL) == nil)
    }

    @Test(
        "every other text is refused",
        arguments: [
            "", "com", "localhost", ".", "a.", ".a", "a..b", "-a.com", "a-.com", "a_b.com", "Login.customer.com", "login.customer.com:443",
            "login.customer.com.", "login.customer.com/", "https://login.customer.com", "10.0.0.1", "1.2.3.4", "[::1]", "::1", "a.1",
            "a b.com",
            "bücher.example", "login.cust\u{301}omer.com", "login\u{200D}.customer.com", "login.\u{600}customer.com", "login。customer.com",
            "\u{212A}elvin.com", "ab--cd.com", "a\u{0}.com", "*.customer.com", String(repeating: "a", count: 64) + ".example",
            Array(repeating: "abcdefg", count: 31).joined(separator: "."),
            // The server's own host, and below it.
            "login.example.com", "acme.login.example.com",
        ])
    func refused(host: String) {
        #expect(DomainName.refusal(of: host, publicURL: Self.publicURL) != nil)
    }

    @Test("the refusal names the form of international names")
    func international() {
        #expect(DomainName.refusal(of: "bücher.example", publicURL: Self.publicURL)?.contains("xn--") == true)
    }
}
