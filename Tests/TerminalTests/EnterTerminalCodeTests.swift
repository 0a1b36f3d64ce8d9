import Server
import TestSupport
import Testing

@Suite("Enter terminal code")
struct EnterTerminalCodeTests {
    @Test("the sign-in comes first, and no link fills in the code")
    func enters() async throws {
        try await TestPlatform.run { platform in
            let (url, person) = ("\(TerminalPerson.issuer)/device", try await TerminalPerson(platform))
            #expect(try await TestBrowser(platform).get(url).location == "/account/sign-in?again=/account/device")
            let page = try await person.browser.get("\(url)?user_code=BCDF-GHJK")
            #expect(page.status == 200 && !page.body.contains("BCDF-GHJK\""))
            // The terminal can be on another machine.
            #expect(page.body.contains("a terminal in which you started the login yourself"))
            let old = try await TerminalPerson(platform, name: "Grace", signedInBefore: 601)
            #expect(try await old.browser.get(url).location == "/account/sign-in?again=/account/device")
        }
    }
}
