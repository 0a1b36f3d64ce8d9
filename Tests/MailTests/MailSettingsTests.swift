import Sealing
import Testing

@testable import Mail

@Suite("Mail settings")
struct MailSettingsTests {
    private func settings(_ url: String, from sender: String = "login@acme.example", authorityFile: String? = nil) throws -> MailSettings {
        try MailSettings(url: url, sender: sender, authorityFile: authorityFile)
    }

    private func refusal(_ url: String, from sender: String = "login@acme.example", authorityFile: String? = nil) throws -> String {
        try #require(throws: MailSettings.Refusal.self) { try settings(url, from: sender, authorityFile: authorityFile) }.description
    }

    @Test("a URL names the host, the port, the protection and the password")
    func urls() throws {
        for (url, host, port, protection) in [
            ("smtp://mail.acme.example", "mail.acme.example", 587, MailServer.Protection.startTLS),
            ("SMTP://Mail.Acme.Example/", "mail.acme.example", 587, .startTLS),
            ("smtp://mail.acme.example:25", "mail.acme.example", 25, .startTLS),
            ("smtps://mail.acme.example", "mail.acme.example", 465, .implicitTLS), ("smtp://192.0.2.1:2525", "192.0.2.1", 2525, .startTLS),
            ("smtps://[2001:db8::1]:465", "2001:db8::1", 465, .implicitTLS),
            ("smtp://localhost:1025", "localhost", 1025, MailServer.Protection.none),
            ("smtp://127.0.0.1", "127.0.0.1", 587, .none), ("smtp://[::1]:25", "::1", 25, .none),
            ("smtps://localhost", "localhost", 465, .implicitTLS),
            // These are other machines, or may be.
            ("smtp://localhost.acme.example", "localhost.acme.example", 587, .startTLS), ("smtp://127.0.0.2", "127.0.0.2", 587, .startTLS),
            ("smtp://0.0.0.0", "0.0.0.0", 587, .startTLS),
        ] {
            let server = try settings(url).server
            #expect((server.host, server.port, server.protection) == (host, port, protection), "\(url)")
            #expect(server.credentials == nil)
        }
    }

    @Test("the user and the password are percent-decoded as bytes")
    func credentials() throws {
        for (written, user, password) in [
            ("user:secret", "user", "secret"), ("ada%40acme.example:p%3A%2F%25%c3%bc", "ada@acme.example", "p:/%ü"), ("a:b:c", "a", "b:c"),
            ("a%3Ab:%20", "a:b", " "), ("ü:\u{600}\u{301}", "ü", "\u{600}\u{301}"),
        ] {
            let credentials = try #require(try settings("smtp://\(written)@mail.acme.example").server.credentials)
            #expect(credentials.user.revealBytes() == Array(user.utf8), "\(written)")
            #expect(credentials.password.revealBytes() == Array(password.utf8), "\(written)")
        }
    }

    @Test(
        "an invalid URL is refused without a part of it",
        arguments: [
            "mail.acme.example", "//mail.acme.example", "http://mail.acme.example", "smtp:mail.acme.example", "smtp://",
            "smtp://hush@mail.acme.example",
            "smtp://hush:@mail.acme.example", "smtp://:hush@mail.acme.example", "smtp://@mail.acme.example",
            "smtp://u:hush@hush@mail.acme.example",
            "smtp://u:hush%@mail.acme.example", "smtp://u:hush%4@mail.acme.example", "smtp://u:hush%zz@mail.acme.example",
            "smtp://u:hush%+1@mail.acme.example",
            "smtp://u:hush%0d%0aQUIT@mail.acme.example", "smtp://u:hush%00@mail.acme.example", "smtp://u:hush%7f@mail.acme.example",
            "smtp://u:hush%ff@mail.acme.example", "smtp://u:hush@mail.acme.example:0", "smtp://u:hush@mail.acme.example:65536",
            "smtp://u:hush@mail.acme.example:", "smtp://u:hush@mail.acme.example:25x", "smtp://u:hush@mail.acme.example:+25",
            "smtp://u:hush@mail.acme.example/path", "smtp://u:hush@mail.acme.example//", "smtp://u:hush@mail.acme.example?x=hush",
            "smtp://u:hush@mail.acme.example#hush", "smtp://u:hush@mail acme.example", "smtp://u:hush@mail%2eacme.example",
            "smtp://u:hush@[::1",
            "smtp://u:hush@m\u{E4}il.example", "smtp\u{301}://u:hush@mail.acme.example", "smtp:\u{301}//u:hush@mail.acme.example",
            "smtp://u:hush@\u{200D}mail.acme.example", "smtp://u:hush@mail.acme.example:\u{662}5", "\u{17F}mtp://u:hush@mail.acme.example",
        ])
    func invalid(url: String) throws {
        let text = try refusal(url)
        #expect(text.hasPrefix("ESPALIER_SMTP_URL"), "\(text)")
        #expect(!text.contains("hush"), "\(text)")
    }

    @Test("a password up to 255 bytes is accepted")
    func longPassword() throws {
        _ = try settings("smtp://u:\(String(repeating: "p", count: 255))@mail.acme.example")
        _ = try refusal("smtp://u:\(String(repeating: "p", count: 256))@mail.acme.example")
        _ = try refusal("smtp://\(String(repeating: "@", count: 1_000_000))mail.acme.example")
    }

    @Test("no description shows the user or the password")
    func secret() throws {
        let settings = try settings("smtp://hush-user:hush-password@mail.acme.example")
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(settings)", String(reflecting: settings), dumped] { #expect(!text.contains("hush")) }
    }

    @Test("the sender is an address with or without a name")
    func senders() throws {
        for (text, name, address) in [
            ("login@acme.example", nil, "login@acme.example"), ("Acme <login@acme.example>", "Acme", "login@acme.example"),
            ("<login@acme.example>", nil, "login@acme.example"),
            ("\"Acme, Inc.\" <login@acme.example>", "Acme, Inc.", "login@acme.example"),
            ("Café  <login@acme.example>", "Café", "login@acme.example"), ("A <B> <login@acme.example>", "A <B>", "login@acme.example"),
        ] {
            let sender = try settings("smtp://localhost", from: text).sender
            #expect((sender.name, sender.address.address) == (name, address), "\(text)")
        }
        #expect(try refusal("smtp://localhost", from: "login@bücher.example").contains("xn-- form"))
        for text in [
            "", "Acme", "Acme login@acme.example", "Acme <login>", "Acme <login@acme.example", "Acme\r\nBcc: <b@acme.example>",
            "A\u{202E} <a@acme.example>",
            "A\u{200D}<login@acme.example>", "Acme <login@acme.example>\n", "A\u{0} <a@acme.example>",
        ] {
            let words = try refusal("smtp://localhost", from: text)
            #expect(words.hasPrefix("ESPALIER_MAIL_FROM"), "\(text.debugDescription)")
        }
    }

    @Test("a file of authorities needs TLS, and must have certificates")
    func authorities() throws {
        #expect(try refusal("smtp://localhost", authorityFile: "ca.pem").contains("ESPALIER_SMTP_CA_FILE"))
        let settings = try settings("smtps://localhost", authorityFile: "/dev/null")
        #expect(throws: MailSettings.Refusal.self) { try MailSender(settings) }
        #expect(throws: Never.self) { try MailSender(try self.settings("smtps://localhost")) }
    }
}
