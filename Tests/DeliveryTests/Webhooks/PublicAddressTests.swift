@testable import Delivery
import Testing

@Suite("Public address")
struct PublicAddressTests {
    @Test(
        "addresses that are reachable on the Internet are public",
        arguments: [
            "1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.1", "172.15.255.255", "172.32.0.1", "192.169.0.1",
            "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888",
            "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
        ])
    func isPublic(_ address: String) throws {
        let bytes = try #require(PublicAddress.bytes(of: address))
        #expect(PublicAddress.isPublic(bytes))
    }

    @Test(
        "all other addresses are not public",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "127.0.0.1", "127.255.255.254", "100.64.0.1", "100.127.255.255",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1",
            "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
            "::", "::1", "::7f00:1", "fc00::1", "fdff::1", "fe80::1", "fec0::1", "ff02::1", "2001::1", "2001:10::1", "2001:db8::1",
            "3fff::1", "100::1", "5f00::1", "64:ff9b:1::1",
            "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::1", "2002:a9fe:a9fe::1",
        ])
    func isNotPublic(_ address: String) throws {
        let bytes = try #require(PublicAddress.bytes(of: address))
        #expect(!PublicAddress.isPublic(bytes))
    }

    @Test("a text that is not a literal has no bytes", arguments: ["", "localhost", "127.1", "fe80::1%lo", "1.2.3.4.5", "::g"])
    func noLiteral(_ text: String) {
        #expect(PublicAddress.bytes(of: text) == nil)
    }
}

@Suite("Webhook URL")
struct WebhookURLTests {
    @Test(
        "https at a host with a domain name is accepted",
        arguments: [
            "https://hooks.example.com", "https://hooks.example.com/", "https://a.b.c.example:8443/x/y%20z?tenant=1&x=",
            "https://xn--bcher-kva.example/hook", "https://Example.COM/", "https://a1.example:65535/", "https://example.com?x",
        ])
    func accepted(_ url: String) {
        #expect(WebhookURL.refusal(of: url, allowsPrivate: false) == nil)
    }

    @Test(
        "all other URLs are refused",
        arguments: [
            "", "hooks.example.com", "http://hooks.example.com/", "ftp://hooks.example.com/", "https://", "https:///x",
            "https://localhost/", "https://127.0.0.1/", "https://1.1.1.1/", "https://[::1]/", "https://2130706433/", "https://0x7f.1/",
            "https://user@hooks.example.com/", "https://user:password@hooks.example.com/", "https://hooks.example.com/#x",
            "https://hooks.example.com:0/", "https://hooks.example.com:65536/", "https://hooks.example.com:/",
            "https://hooks.example.com./", "https://-a.example.com/", "https://a_b.example.com/", "https://hooks.example.com/%zz",
            "https://hooks.example.com\\@evil.example/", "https://hooks.example.com/a b", "https://bücher.example/", " https://a.example/",
            "https://%6cocalhost.example/", "https://hooks..example.com/",
        ])
    func refused(_ url: String) {
        #expect(WebhookURL.refusal(of: url, allowsPrivate: false) != nil)
    }

    @Test("in development http and any host are accepted too")
    func development() {
        for url in ["http://localhost:3000/hook", "http://127.0.0.1/", "https://[::1]:8443/", "http://web:8080/x", "https://a.example/"] {
            #expect(WebhookURL.refusal(of: url, allowsPrivate: true) == nil, "\(url)")
        }
        for url in [
            "http://local%00host/", "http://localhost%0d%0a/", "http://%6cocalhost/", "http://local!host/", "http://[::1%25lo]/",
            "http://localhost:80:80/", "http://a,b/", "http://[::1/", "http://local~host/",
        ] { #expect(WebhookURL.refusal(of: url, allowsPrivate: true) != nil, "\(url)") }
        for url in ["ftp://localhost/", "http://user@localhost/", "http://localhost/#x", "http:///x", "localhost", "http://a b/"] {
            #expect(WebhookURL.refusal(of: url, allowsPrivate: true) != nil, "\(url)")
        }
    }

    @Test("a webhook's URL is ASCII, and a text that only compares equal is refused")
    func webhookURL() {
        #expect(WebhookURL.refusal(of: "https://hooks.example.com/K;", allowsPrivate: false) == nil)
        for text in ["https://hoo\u{212A}s.example.com/", "https://hooks.example.com/\u{37E}"] {
            #expect(WebhookURL.refusal(of: text, allowsPrivate: false) != nil)
        }
    }
}
