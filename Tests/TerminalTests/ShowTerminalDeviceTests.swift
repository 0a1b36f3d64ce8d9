import Server
import TestSupport
import Testing

@Suite("Show terminal device")
struct ShowTerminalDeviceTests {
    @Test("the page shows the code, the machine, the address and the person; a wrong code gets the field again")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            let user = try await person.start().string("user_code") ?? ""
            let page = try await person.show(user.lowercased().replacing("-", with: " "))
            #expect(page.status == 200)
            for text in [user, "espalierctl on build-7", "127.0.0.1", "ada@example.com", "Acme"] {
                #expect(page.body.contains(text), "\(text)")
            }
            for wrong in ["", "BCDF", "BCDF-GHJ\u{301}", "\u{600}BCDF-GHJK", "BCDF\u{200D}GHJK", "BCDF-GHJK"] {
                let refused = try await person.show(wrong)
                #expect(refused.status == 400 && refused.body.contains("name=\"user_code\""), "\(wrong)")
            }
        }
    }

    @Test("in a session of a tenant's provider, the page says that the login ends after 24 hours")
    func end() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform, onlyTenant: true)
            let page = try await person.show(try await person.start().string("user_code") ?? "")
            #expect(page.body.contains("for up to 24 hours"))
        }
    }

    @Test("the page names the program and the machine in its language")
    func program() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            let code = try await person.start().string("user_code") ?? ""
            let fields = TerminalPerson.fields(of: "/account/device", in: try await person.browser.get("\(TerminalPerson.issuer)/device"))
            let page = try await person.browser.post(
                "\(TerminalPerson.issuer)/device", form: fields + [("user_code", code)], headers: [("Accept-Language", "he")])
            #expect(page.body.contains("<bdi>\u{2068}espalierctl\u{2069} ב־\u{2068}build-7\u{2069}</bdi>"), "\(page.body)")
        }
    }

    @Test("a page in each language has the new texts, labels and no script")
    func languages() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            for language in ["en", "de", "ar", "ja"] {
                let page = try await person.browser.get("\(TerminalPerson.issuer)/device", headers: [("Accept-Language", language)])
                #expect(page.header("Content-Language") == language)
                #expect(page.body.contains("<label for=\"user_code\">") && !page.body.contains("<script"))
            }
        }
    }
}
