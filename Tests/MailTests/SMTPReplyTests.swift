import Testing

@testable import Mail

@Suite("SMTP reply")
struct SMTPReplyTests {
    private func take(_ text: String) throws -> (reply: SMTPReply?, rest: String) {
        var bytes = Array(text.utf8)
        return (try SMTPReply.take(from: &bytes), String(decoding: bytes, as: UTF8.self))
    }

    @Test("a reply has a code and lines, and leaves the next one")
    func complete() throws {
        for (text, code, lines, rest) in [
            ("250 ok\r\n", 250, ["ok"], ""), ("250\r\n", 250, [""], ""), ("250 ok\n", 250, ["ok"], ""),
            ("250-a\r\n250-b\r\n250 c\r\n", 250, ["a", "b", "c"], ""),
            ("220 a\r\n250 b\r\n", 220, ["a"], "250 b\r\n"), ("554 \u{600}\u{301}\r\n", 554, ["\u{600}\u{301}"], ""),
            ("250-\r\n250\r\n", 250, ["", ""], ""),
        ] {
            let (reply, left) = try take(text)
            #expect(reply == SMTPReply(code: code, lines: lines.map { Array($0.utf8) }), "\(text.debugDescription)")
            #expect(left == rest)
        }
    }

    @Test("an incomplete reply waits", arguments: ["", "2", "250 ok", "250-a\r\n", "250-a\r\n250 b"])
    func incomplete(text: String) throws {
        let (reply, rest) = try take(text)
        #expect(reply == nil && rest == text)
    }

    @Test(
        "other bytes are refused",
        arguments: [
            "\r\n", "ok\r\n", "25 ok\r\n", "2500 ok\r\n", "250_ok\r\n", "250-a\r\n251 b\r\n", "199 a\r\n", "600 a\r\n", "\u{662}50 a\r\n",
            "250\u{301} a\r\n",
            "+50 a\r\n", "SSH-2.0-x\r\n", "HTTP/1.1 400 Bad Request\r\n",
        ])
    func malformed(text: String) {
        #expect(throws: SMTPReply.Malformed.self) { try take(text) }
    }

    @Test("a long line, many lines and many bytes are refused before they are complete")
    func long() throws {
        let line = String(repeating: "a", count: 2044)
        #expect(try take("250 \(line)\r\n").reply != nil)
        #expect(throws: SMTPReply.Malformed.self) { try take("250 \(line)a\r\n") }
        #expect(throws: SMTPReply.Malformed.self) { try take("250 \(line)aaaa") }
        #expect(try take(String(repeating: "250-a\r\n", count: 99) + "250 a\r\n").reply?.lines.count == 100)
        #expect(throws: SMTPReply.Malformed.self) { try take(String(repeating: "250-a\r\n", count: 100)) }
        #expect(throws: SMTPReply.Malformed.self) { try take(String(repeating: "250-\(line)\r\n", count: 20)) }
    }

    @Test("extensions are found in any case, and unknown ones are ignored")
    func extensions() throws {
        let reply = try #require(
            try take("250-mail.test STARTTLS\r\n250-size 1000\r\n250-Auth plain LOGIN\r\n250-8bitMIME\r\n250-X-ELSE\r\n250 SMTPUTF8\r\n")
                .reply)
        let extensions = SMTPExtensions(reply)
        // The first line is a greeting.
        #expect(!extensions.hasStartTLS)
        #expect(extensions.size == 1000 && extensions.has8BitMIME && extensions.hasUTF8)
        #expect(extensions.authentication == ["PLAIN", "LOGIN"])
        for size in ["SIZE", "SIZE 0", "SIZE -1", "SIZE x", "SIZE 99999999999999999999"] {
            #expect(SMTPExtensions(try #require(try take("250-a\r\n250 \(size)\r\n").reply)).size == nil)
        }
    }
}
