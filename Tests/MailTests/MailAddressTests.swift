import Testing

@testable import Mail

@Suite("Mail address")
struct MailAddressTests {
    @Test(
        "an address is accepted and sent unchanged",
        arguments: [
            "ada@acme.example", "a.b+c@mail.acme.example", "o'neill!#$%&*-/=?^_`{|}~@a-b.example", "x@a.xn--p1ai", "x@1.a1",
            "ü@acme.example",
            "\u{5B57}@acme.example", "abc123@privaterelay.appleid.com",
        ])
    func accepted(text: String) throws {
        let address = try #require(MailAddress(text))
        #expect(Array(address.text.utf8) == Array(text.utf8))
        #expect(Array(address.address.utf8) == Array(text.utf8))
        #expect(address.needsUTF8 == !text.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test("dots that no list of atoms has are quoted", arguments: ["a..b@acme.example", "a.@acme.example", ".a@acme.example"])
    func quoted(text: String) throws {
        let address = try #require(MailAddress(text))
        let parts = text.split(separator: "@")
        #expect(address.text == "\"\(parts[0])\"@\(parts[1])")
        #expect(address.address == text)
    }

    @Test(
        "a text that could change a command or a header, or look like another address, is refused",
        arguments: [
            "", "@", "ada", "@acme.example", "ada@", "ada@@acme.example", "a@b@acme.example",
            "ada@acme.example\r\nRCPT TO:<b@acme.example>",
            "ada\n@acme.example", "ada\r@acme.example", "ada\u{0}@acme.example", "ada@acme.example\n", "ada@acme.example> SIZE=1",
            "<ada@acme.example>",
            "ada lovelace@acme.example", "\"ada\"@acme.example", "ada@[127.0.0.1]", "ada@127.0.0.1", "ada@localhost", "ada@acme.1",
            "ada@2130706433", "ada@acme..example", "ada@.acme.example",
            "ada@acme.example.", "ada@-acme.example", "ada@acme-.example", "ada,bob@acme.example", "ada;bob@acme.example",
            "ada(x)@acme.example", "ada\\@acme.example", "ada@\u{FC}ber.example", "ada\u{7F}@acme.example", "ada\u{85}@acme.example",
            "ada\u{2028}@acme.example", "ada\u{A0}@acme.example", "ada\u{202E}@acme.example", "ada\u{FEFF}@acme.example",
        ])
    func refused(text: String) {
        #expect(MailAddress(text) == nil, "\(text.debugDescription)")
    }

    @Test("a scalar that joins with the @ or a dot hides neither", arguments: ["\u{600}", "\u{301}", "\u{200D}"])
    func joining(joining: String) {
        for text in [
            "ada\(joining)@acme.example", "ada@\(joining)acme.example", "ada@acme\(joining).example", "ada@acme.\(joining)example",
            "ada@acme.example\(joining)", "\(joining)ada@acme.example@b.example", "ada@acme.example\(joining)@b.example",
        ] {
            // Only a letter with an accent may be in front of the @.
            let isLetter = joining == "\u{301}" && text == "ada\(joining)@acme.example"
            #expect((MailAddress(text) != nil) == isLetter, "\(text.debugDescription)")
        }
    }

    @Test("the parts have their maximum lengths")
    func lengths() {
        let label = String(repeating: "a", count: 60)
        #expect(MailAddress(String(repeating: "a", count: 64) + "@acme.example") != nil)
        #expect(MailAddress(String(repeating: "a", count: 65) + "@acme.example") == nil)
        #expect(MailAddress("a@" + String(repeating: "a", count: 64) + ".example") == nil)
        #expect(MailAddress("a@\(label).\(label).\(label).\(label)") != nil)
        #expect(MailAddress("aaaaaaaaaaa@\(label).\(label).\(label).\(label)") == nil)
        #expect(MailAddress(String(repeating: "a@", count: 1_000_000)) == nil)
    }

    @Test("no description shows an address")
    func secret() throws {
        let address = try #require(MailAddress("ada@acme.example"))
        var dumped = ""
        dump(address, to: &dumped)
        for text in ["\(address)", String(reflecting: address), dumped] { #expect(!text.contains("ada") && !text.contains("acme")) }
    }
}
