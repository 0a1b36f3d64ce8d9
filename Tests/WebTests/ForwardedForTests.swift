import Testing

@testable import Web

@Suite("X-Forwarded-For")
struct ForwardedForTests {
    @Test("without proxies, the header is ignored")
    func none() {
        #expect(ForwardedFor.address(in: ["192.0.2.1"], behind: 0) == nil)
    }

    @Test("the entry of the outermost trusted proxy counts, after any entries of the caller")
    func entries() {
        let lines = ["203.0.113.9, 192.0.2.1", "198.51.100.7"]
        #expect(ForwardedFor.address(in: lines, behind: 1) == "198.51.100.7")
        #expect(ForwardedFor.address(in: lines, behind: 2) == "192.0.2.1")
        #expect(ForwardedFor.address(in: lines, behind: 3) == "203.0.113.9")
        // A request that did not pass all of them.
        #expect(ForwardedFor.address(in: lines, behind: 4) == nil)
        #expect(ForwardedFor.address(in: [], behind: 1) == nil)
    }

    @Test("an address is an IP address, with or without a port, in one spelling")
    func forms() {
        for (entry, address) in [
            ("192.0.2.1:4711", "192.0.2.1"), ("2001:DB8:0::1", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:4711", "2001:db8::1"), (" 192.0.2.1 ", "192.0.2.1"),
        ] {
            #expect(ForwardedFor.address(in: [entry], behind: 1) == address)
        }
        for entry in [
            "", "unknown", "_hidden", "example.com", "192.0.2", "192.0.2.999", "fe80::1%eth0", "1", "192.0.2.1 x", "a\"b",
            "[", "[]", "[::1", "[::1[", "[::1[]", "[[::1]", "[::1]x", "[::1]]", "[]::1", "::1]",
        ] {
            #expect(ForwardedFor.address(in: [entry], behind: 1) == nil, "\(entry)")
        }
    }
}
