import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Development
@testable import Mail

/// The mail server of `espalier-dev dev`, and its pages.
@Suite("Mail catcher")
struct MailCatcherTests {
    /// Sends a mail as the server does.
    private func send(
        _ catcher: MailCatcher, to recipient: String = "ada@example.com", subject: String = "Hello", text: String = "Text",
        html: String = "<p>Text</p>"
    ) async throws -> MailResult {
        let sender = try MailSender(try MailSettings(url: "smtp://127.0.0.1:\(catcher.port)", sender: "Café <espalier@example.com>"))
        let message = try Mail.Message(
            to: try #require(MailAddress(recipient)), subject: subject, text: text, html: html, deliverBefore: .distantFuture)
        return try await sender.send(message, id: UUID(), at: Date())
    }

    /// Serves the pages on a free port.
    private func withPages(_ catcher: MailCatcher, _ body: @Sendable @escaping (_ url: String, TestBrowser) async throws -> Void)
        async throws
    {
        let router = Router()
        MailPages(catcher).add(to: router)
        let (ports, bound) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { bound.yield($0.localAddress?.port ?? 0) }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            guard let port = await ports.first(where: { _ in true }) else { throw CancellationError() }
            let url = "http://127.0.0.1:\(port)"
            let result: Result<Void, any Error>
            do { result = .success(try await body(url, TestBrowser(publicURL: url, address: url))) } catch { result = .failure(error) }
            group.cancelAll()
            try result.get()
        }
    }

    @Test("a caught mail is decoded, and its text has links only to https and to this machine")
    func shown() async throws {
        let catcher = try await MailCatcher.start()
        let text = """
            .dot
            Grüße: https://acme.example/?a=1&b=2. Or (http://localhost:8080/t/acme).
            http://acme.example javascript:alert(1) http://localhost.acme.example/ http://localhost:x@acme.example/ http://127.0.0.1@acme.example/

            """
        #expect(try await send(catcher, subject: "Grüße 字 \(String(repeating: "x", count: 80))", text: text).outcome == .sent)
        let mail = try #require(catcher.mails.first)
        #expect(mail.text == text)
        #expect(mail.subject == "Grüße 字 \(String(repeating: "x", count: 80))")
        #expect(mail.from == "Café <espalier@example.com>")
        #expect((mail.sender, mail.recipients) == ("espalier@example.com", ["ada@example.com"]))
        try await withPages(catcher) { url, browser async throws in
            let page = try await browser.get("\(url)/mail/1").body
            let links = page.matches(of: /<a href="(http[^"]*)"/).map { String($0.1) }
            #expect(links == ["https://acme.example/?a=1&amp;b=2", "http://localhost:8080/t/acme"])
            #expect(try await browser.get("\(url)/mail").body.contains("<td>ada@example.com</td>"))
        }
    }

    @Test("markup in a mail is text", arguments: ["", "\u{600}", "\u{301}", "\u{200D}"])
    func escaped(joining: String) async throws {
        let catcher = try await MailCatcher.start()
        let markup = "\(joining)<script>alert(1)</script>\(joining)\"'><b>https://a.example/\"onclick=x</b>"
        #expect(try await send(catcher, subject: markup, text: markup, html: markup).outcome == .sent)
        try await withPages(catcher) { url, browser async throws in
            for path in ["/mail", "/mail/1"] {
                let page = try await browser.get(url + path)
                #expect(page.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
                let tags = page.body.utf8.split(separator: UInt8(ascii: "<"))
                #expect(tags.count > 10 && !tags.contains { $0.starts(with: "script".utf8) || $0.starts(with: "b>".utf8) })
                #expect(!page.body.contains("\"onclick"))
            }
        }
    }

    @Test("the page is only for this machine's own names")
    func otherHost() async throws {
        let catcher = try await MailCatcher.start()
        _ = try await send(catcher)
        try await withPages(catcher) { url, browser async throws in
            for host in ["attacker.example", "localhost.attacker.example", "127.0.0.1.attacker.example"] {
                #expect(try await browser.get("\(url)/mail", headers: [("Host", host)]).status == 404, "\(host)")
                #expect(try await browser.get("\(url)/mail/1", headers: [("Host", host)]).status == 404, "\(host)")
            }
            #expect(try await browser.get("\(url)/mail/1", headers: [("Host", "localhost")]).status == 200)
            for path in ["/mail/0", "/mail/2", "/mail/x", "/mail/99999999999999999999"] {
                #expect(try await browser.get(url + path).status == 404)
            }
        }
    }

    @Test("the newest 100 mails are kept, and none of more than 256 KiB")
    func bounded() async throws {
        let catcher = try await MailCatcher.start()
        for number in 1...101 { catcher.keep(Array("Subject: \(number)\r\n\r\n".utf8), from: "", to: [], at: Date()) }
        #expect(catcher.mails.count == 100)
        #expect(catcher.mails.first?.subject == "101" && catcher.mails.last?.subject == "2")
        let line = String(repeating: "x", count: 1000) + "\r\n"
        let answers = try await talk(
            catcher, "EHLO a\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\n\(String(repeating: line, count: 300)).\r\nNOOP\r\nQUIT\r\n")
        #expect(answers.contains("552 ") && answers.contains("221 "))
        #expect(catcher.mails.first?.subject == "101")
        // A line without an end is not kept, either.
        _ = try? await talk(catcher, String(repeating: "x", count: 100_000))
        #expect(catcher.mails.count == 100)
    }

    /// Sends bytes and reads until the catcher closes the connection.
    private func talk(_ catcher: MailCatcher, _ text: String) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: catcher.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(inboundType: ByteBuffer.self, outboundType: ByteBuffer.self))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try? await outbound.write(ByteBuffer(string: text))
            var received = ""
            do { for try await part in inbound { received += String(buffer: part) } } catch {}
            return received
        }
    }
}
