import Foundation
import TestSupport
import Testing

@testable import Mail

@Suite("Mail document")
struct MailDocumentTests {
    private static let id = UUID(uuidString: "01932C0E-0000-7000-8000-000000000001")!
    private static let now = Date(timeIntervalSince1970: 1_795_698_000)

    private func document(
        _ subject: String = "Hello", text: String = "Text", html: String = "<p>Text</p>", sender: String = "Acme <login@acme.example>",
        to recipient: String = "ada@acme.example"
    ) throws -> TestMailServer.Received {
        let message = try Mail.Message(
            to: try #require(MailAddress(recipient)), subject: subject, text: text, html: html, deliverBefore: Self.now)
        let sender = try #require(MailSettings.Sender(sender))
        return .init(
            sender: "", recipient: "", data: MailDocument(message: message, sender: sender, id: Self.id, now: Self.now).bytes)
    }

    /// Decodes encoded words with code that the sender does not share.
    private func decoded(_ header: String) throws -> String {
        var bytes: [UInt8] = []
        for word in header.components(separatedBy: " ") {
            let match = try #require(word.wholeMatch(of: /=\?UTF-8\?B\?([A-Za-z0-9+\/=]+)\?=/), "\(header)")
            #expect(word.utf8.count <= 75)
            let part = try #require(Data(base64Encoded: String(match.1)))
            #expect(String(data: part, encoding: .utf8) != nil, "A word has a part of a character.")
            bytes += part
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("a mail has the headers of an automatic mail, and both forms of its content")
    func headers() throws {
        let mail = try document()
        #expect(mail.header("From") == "\"Acme\" <login@acme.example>")
        #expect(mail.header("To") == "ada@acme.example")
        #expect(mail.header("Subject") == "Hello")
        #expect(mail.header("Date") == "Thu, 26 Nov 2026 13:00:00 +0000")
        #expect(mail.header("Message-ID") == "<\(Self.id.uuidString)@acme.example>")
        #expect(mail.header("Auto-Submitted") == "auto-generated")
        #expect(mail.header("MIME-Version") == "1.0")
        #expect(mail.header("Content-Type") == "multipart/alternative; boundary=\"=_\(Self.id.uuidString)\"")
        #expect(mail.part("plain") == "Text")
        #expect(mail.part("html") == "<p>Text</p>")
        #expect(mail.text.hasSuffix("\r\n--=_\(Self.id.uuidString)--\r\n"))
    }

    @Test("the content arrives unchanged in lines of ASCII with up to 76 bytes")
    func content() throws {
        let texts = [
            "Grüße aus München 🦊\n", ".\n..\n.dot\n\n.", "ends with a blank \nand a tab\t\nx", "a=b=3D", "\u{600}=\u{301}\n\u{200D}.",
            String(repeating: "x", count: 1000), String(repeating: "字", count: 500), String(repeating: "x", count: 76) + "\ny",
            String(repeating: "x", count: 75) + " \ny", "From me\n--=_x\n",
        ]
        for text in texts {
            let mail = try document(text: text, html: "<pre>\(text)</pre>")
            #expect(mail.part("plain").map { Array($0.utf8) } == Array(text.utf8), "\(text.debugDescription)")
            #expect(mail.part("html").map { Array($0.utf8) } == Array("<pre>\(text)</pre>".utf8))
            for line in mail.text.components(separatedBy: "\r\n") {
                #expect(
                    line.utf8.count <= 76 && line.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 }, "\(line.debugDescription)")
            }
        }
        // The ends of lines become the same.
        #expect(try document(text: "a\r\nb\rc\nd").part("plain") == "a\nb\nc\nd")
    }

    @Test("a subject and a name in other letters are encoded words")
    func words() throws {
        for subject in [
            "Grüße", String(repeating: "é", count: 200), String(repeating: "🦊", count: 200), "=?UTF-8?B?QQ==?=",
            String(repeating: "long ", count: 30) + "!", "a\u{600}\u{301}\u{200D}: b",
        ] {
            let mail = try document(subject)
            #expect(Array(try decoded(try #require(mail.header("Subject"))).utf8) == Array(subject.utf8))
            // RFC 2047, section 2, also of the line with the name of the header.
            #expect(mail.text.components(separatedBy: "\r\n").allSatisfy { $0.utf8.count <= 76 }, "\(subject.prefix(10))")
        }
        let long = String(repeating: "é", count: 40)
        let lines = try document(sender: "\(long) <login@acme.example>").text.components(separatedBy: "\r\n")
        #expect(lines[0].utf8.count == 76 - 2 && lines[0].hasPrefix("From: =?UTF-8?B?"), "\(lines[0])")
        #expect(try decoded(lines[0...1].joined().replacing("From: ", with: "")) == long)
        let sender = try #require(try document(sender: "Café Zürich <login@acme.example>").header("From"))
        #expect(sender.hasSuffix(" <login@acme.example>"))
        #expect(try decoded(sender.replacing(" <login@acme.example>", with: "")) == "Café Zürich")
        #expect(try document(sender: #"A "B" \C <login@acme.example>"#).header("From") == #""A \"B\" \\C" <login@acme.example>"#)
        #expect(try document(sender: "login@acme.example").header("From") == "login@acme.example")
    }

    @Test(
        "a subject with a line break is refused",
        arguments: [
            "", "a\r\nBcc: b@acme.example", "a\nb", "a\rb", "a\u{0}b", "a\u{85}b", "a\u{2028}b", "a\u{7F}b",
            String(repeating: "a", count: 201),
        ])
    func subjects(subject: String) {
        #expect(throws: Mail.Message.Refusal.subject) { try document(subject) }
    }

    @Test("a body has its maximum length and no NUL")
    func bodies() throws {
        #expect(throws: Mail.Message.Refusal.text) { try document(text: "") }
        #expect(throws: Mail.Message.Refusal.text) { try document(text: "a\u{0}") }
        #expect(throws: Mail.Message.Refusal.text) { try document(text: String(repeating: "a", count: 16_385)) }
        #expect(throws: Mail.Message.Refusal.html) { try document(html: String(repeating: "a", count: 49_153)) }
        let mail = try document(text: String(repeating: "ä", count: 8192), html: String(repeating: "ä", count: 24_576))
        #expect(mail.part("html")?.utf8.count == 49_152)
    }

    @Test("the end of the mail is the only line of one dot, and each line ends with CRLF")
    func stuffed() {
        for (document, expected) in [
            ("", ".\r\n"), ("a", "a\r\n.\r\n"), (".", "..\r\n.\r\n"), ("a\r\n.\r\nb\r\n", "a\r\n..\r\nb\r\n.\r\n"),
            ("a\n.\nQUIT\n", "a\r\n..\r\nQUIT\r\n.\r\n"), ("a\r.\rb", "a\r\n..\r\nb\r\n.\r\n"), ("\r\n\r\n", "\r\n\r\n.\r\n"),
            ("a\u{600}.\n.\u{301}", "a\u{600}.\r\n..\u{301}\r\n.\r\n"),
        ] {
            #expect(SMTPData.stuffed(Array(document.utf8)) == Array(expected.utf8), "\(document.debugDescription)")
        }
    }
}
