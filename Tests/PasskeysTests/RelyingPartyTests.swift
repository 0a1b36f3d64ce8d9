@testable import Passkeys
import Testing

@Suite("Relying party")
struct RelyingPartyTests {
    @Test("the RP ID is the host of the first origin, or a domain above all origins")
    func ids() throws {
        #expect(RelyingParty(name: "Test", origins: ["https://login.example.com"])?.id == "login.example.com")
        #expect(RelyingParty(name: "Test", origins: ["https://login.example.com:8443"])?.id == "login.example.com")
        #expect(RelyingParty(name: "Test", origins: ["http://localhost:8080"])?.id == "localhost")
        #expect(RelyingParty(name: "Test", origins: ["http://acme.localhost:8080"])?.id == "acme.localhost")
        let above = RelyingParty(name: "Test", id: "example.com", origins: ["https://login.example.com", "https://example.com"])
        #expect(above?.id == "example.com" && above?.origins.count == 2)
        // SHA-256 of "localhost".
        #expect(
            RelyingParty(name: "Test", origins: ["http://localhost"])?.idHash
                == SpecificationVectors.bytes("49960de5880e8c687434170f6476605b8fe4aeb9a28632c7995cf3ba831d9763"))
    }

    @Test("an origin that a browser would not write, or that has no passkeys, is refused")
    func origins() {
        for origin in [
            "", "login.test", "https://", "https://login.test/", "https://Login.test", "https://login.test:", "https://login.test:443",
            "http://login.test",
            "http://localhost:80", "https://127.0.0.1", "https://127.0.0.1:8443", "http://127.0.0.1:8080", "https://[::1]",
            "https://login..test",
            "https://login.test.", "https://.login.test", "https://login.test:44a", "https://user@login.test", "https://login.test?a",
            "ftp://login.test",
            "HTTPS://login.test", "https://login_test", "https://m\u{FC}nchen.test", "https://login.test\u{301}", "null",
        ] { #expect(RelyingParty(name: "Test", origins: [origin]) == nil, "\(origin)") }
        #expect(RelyingParty(name: "Test", origins: []) == nil)
        #expect(RelyingParty(name: "Test", id: "login.test", origins: ["https://login.test", "https://127.0.0.1"]) == nil)
    }

    @Test(
        "an RP ID that is not a domain of all origins is refused",
        arguments: ["", "evil.test", "ogin.test", ".login.test", "a.login.test", "LOGIN.test"])
    func otherIDs(_ id: String) {
        #expect(RelyingParty(name: "Test", id: id, origins: ["https://login.test"]) == nil)
    }
}
