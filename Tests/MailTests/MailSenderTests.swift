import Foundation
import TestSupport
import Testing

@testable import Mail

/// The conversation with a mail server, over real sockets.
@Suite("Mail sender")
struct MailSenderTests {
    private static let now = Date(timeIntervalSince1970: 1_795_700_000)

    /// - Parameter scheme: Without it, the connection has no TLS.
    private func sender(
        _ server: TestMailServer, _ scheme: String = "smtp", host: String = "127.0.0.1", credentials: String = "", authority: String? = nil,
        from: String = "Acme <login@acme.example>", limits change: (inout SMTPLimits) -> Void = { _ in }
    ) throws -> MailSender {
        var limits = SMTPLimits()
        change(&limits)
        return try MailSender(
            try MailSettings(url: "\(scheme)://\(credentials)\(host):\(server.port)", sender: from, authorityFile: authority),
            limits: limits)
    }

    private func send(
        _ sender: MailSender, to recipient: String = "ada@acme.example", subject: String = "Hello", text: String = "Text"
    ) async throws -> MailResult {
        let message = try Mail.Message(
            to: try #require(MailAddress(recipient)), subject: subject, text: text, html: "<p>\(text)</p>", deliverBefore: Self.now)
        return try await sender.send(message, id: UUID(), at: Self.now)
    }

    private func behavior(_ change: (inout TestMailServer.Behavior) -> Void) -> TestMailServer.Behavior {
        var behavior = TestMailServer.Behavior()
        change(&behavior)
        return behavior
    }

    // MARK: Without TLS, on this machine

    @Test("a mail arrives unchanged, also with lines of dots and other letters")
    func success() async throws {
        try await TestMailServer.run { server async throws in
            let text = ".\n..\n.dot\nGrüße \u{600}=\u{301}\u{200D}.\n\n.\nlast"
            let result = try await send(try sender(server), subject: "Grüße", text: text)
            #expect(result == MailResult(.sent, reply: 250))
            let mail = try #require(server.mails.first)
            #expect((mail.sender, mail.recipient) == ("login@acme.example", "ada@acme.example"))
            #expect(mail.part("plain").map { Array($0.utf8) } == Array(text.utf8))
            #expect(mail.part("html").map { Array($0.utf8) } == Array("<p>\(text)</p>".utf8))
            #expect(
                server.commands.map(\.text).prefix(4) == [
                    "EHLO acme.example", "MAIL FROM:<login@acme.example> SIZE=\(mail.data.count)", "RCPT TO:<ada@acme.example>", "DATA",
                ])
            try await eventually("the conversation ends") { server.open == 0 }
            #expect(server.verbs.last == "QUIT")
        }
    }

    @Test("a user authenticates with PLAIN, or with LOGIN if the server has only that")
    func authentication() async throws {
        for (ways, expected) in [
            ("AUTH LOGIN PLAIN", ["AUTH PLAIN AGFkYUBhY21lAHA6w7w="]), ("auth login", ["AUTH LOGIN", "YWRhQGFjbWU=", "cDrDvA=="]),
        ] {
            try await TestMailServer.run(behavior { $0.extensions = [ways] }) { server async throws in
                #expect(try await send(try sender(server, credentials: "ada%40acme:p%3A%C3%BC@")).outcome == .sent)
                #expect(Array(server.commands.map(\.text).dropFirst().prefix(expected.count)) == expected)
            }
        }
        try await TestMailServer.run(behavior { $0.extensions = ["AUTH CRAM-MD5"] }) { server async throws in
            #expect(try await send(try sender(server, credentials: "u:p@")).outcome == .authenticationUnsupported)
        }
    }

    @Test("a refusal of the sender differs from a refusal of the mail, and from a delay")
    func refusals() async throws {
        let cases: [(String, String, MailResult)] = [
            ("greeting", "554 no", .init(.senderRefused, reply: 554)), ("greeting", "421 busy", .init(.deferred, reply: 421)),
            ("EHLO", "502 no", .init(.senderRefused, reply: 502)), ("AUTH", "535 5.7.8 no", .init(.senderRefused, reply: 535)),
            ("AUTH", "454 later", .init(.deferred, reply: 454)), ("AUTH", "334 more", .init(.invalidReply, reply: 334)),
            ("MAIL", "550 no", .init(.senderRefused, reply: 550)), ("MAIL", "530 no", .init(.senderRefused, reply: 530)),
            ("MAIL", "552 large", .init(.messageRefused, reply: 552)), ("MAIL", "451 later", .init(.deferred, reply: 451)),
            ("RCPT", "550 no", .init(.recipientRefused, reply: 550)), ("RCPT", "450 greylisted", .init(.deferred, reply: 450)),
            ("RCPT", "530 no", .init(.senderRefused, reply: 530)), ("DATA", "554 no", .init(.messageRefused, reply: 554)),
            ("DATA", "250 ok", .init(.invalidReply, reply: 250)), ("DATA", "354 go\r\n250 early", .init(.invalidReply)),
            ("end", "554 spam", .init(.messageRefused, reply: 554)), ("end", "452 full", .init(.deferred, reply: 452)),
            ("end", "what", .init(.invalidReply, isUncertain: true)),
            ("end", "354 go", .init(.invalidReply, reply: 354, isUncertain: true)),
            ("RCPT", "what", .init(.invalidReply)),
        ]
        for (place, reply, expected) in cases {
            try await TestMailServer.run(
                behavior {
                    $0.extensions = ["AUTH PLAIN"]; $0.replies = [place: [reply]]
                }
            ) { server in
                let sender = try sender(server, credentials: "u:p@")
                #expect(try await send(sender) == expected, "\(place) \(reply)")
                #expect(server.mails.isEmpty)
                // The next mail has a connection of its own.
                #expect(try await send(sender).outcome == .sent)
                try await eventually("both connections end") { server.open == 0 }
            }
        }
    }

    @Test("any positive reply after the content accepts the mail")
    func accepted() async throws {
        for reply in ["250", "251 ok", "252-a\r\n252 b", "299 ok"] {
            try await TestMailServer.run(behavior { $0.replies = ["end": [reply]] }) { server async throws in
                #expect(try await send(try sender(server)) == .init(.sent, reply: Int(reply.prefix(3))))
            }
        }
    }

    @Test("the content follows the caller's record, and without the record there is no content")
    func beforeContent() async throws {
        struct Stop: Error {}
        try await TestMailServer.run { server async throws in
            let message = try Mail.Message(
                to: try #require(MailAddress("ada@acme.example")), subject: "a", text: "a", html: "a", deliverBefore: Self.now)
            await #expect(throws: Stop.self) {
                _ = try await sender(server).send(message, id: UUID(), at: Self.now) {
                    #expect(server.verbs.last == "DATA")
                    throw Stop()
                }
            }
            try await eventually("the connection ends") { server.open == 0 }
            #expect(server.mails.isEmpty)
        }
    }

    @Test("a server that does not respond in time is left, at each step")
    func slow() async throws {
        for place in ["greeting", "EHLO", "MAIL", "RCPT", "end"] {
            try await TestMailServer.run(behavior { $0.replies = [place: [""]] }) { server async throws in
                // The steps before the end have their usual limits, because a busy machine may need longer for them.
                let sender = try sender(server) { limits in
                    if place == "end" { limits.data = .milliseconds(100) } else { limits.step = .milliseconds(100) }
                }
                #expect(try await send(sender) == .init(.timedOut, isUncertain: place == "end"), "\(place)")
                try await eventually("the connection ends") { server.open == 0 }
            }
        }
        try await TestMailServer.run(behavior { $0.replies = ["RCPT": [""]] }) { server async throws in
            #expect(try await send(try sender(server) { $0.total = .milliseconds(200) }) == .init(.timedOut))
        }
    }

    @Test("nothing listens, or no host has the name")
    func unreachable() async throws {
        let unknown = try MailSender(try MailSettings(url: "smtp://mail.invalid", sender: "login@acme.example"))
        #expect(try await send(unknown) == .init(.nameNotResolved))
        let closed = try MailSender(try MailSettings(url: "smtp://127.0.0.1:\(FreePorts.take())", sender: "login@acme.example"))
        #expect(try await send(closed) == .init(.connectionFailed))
        let hole = try BlackHole()
        var limits = SMTPLimits()
        limits.connection = .milliseconds(200)
        let silent = try MailSender(try MailSettings(url: "smtp://127.0.0.1:\(hole.port)", sender: "login@acme.example"), limits: limits)
        #expect(try await send(silent) == .init(.timedOut))
    }

    @Test("a cancelled attempt ends at once")
    func cancelled() async throws {
        try await TestMailServer.run(behavior { $0.replies = ["RCPT": [""]] }) { server async throws in
            let sender = try sender(server)
            let attempt = Task { try await send(sender) }
            try await eventually("the server has the recipient") { server.verbs.last == "RCPT" }
            attempt.cancel()
            await #expect(throws: CancellationError.self) { try await attempt.value }
            try await eventually("the connection ends") { server.open == 0 }
        }
    }

    @Test("long replies, many lines and replies that nobody asked for end the conversation")
    func floods() async throws {
        let long = String(repeating: "a", count: 3000)
        for greeting in [
            "220 \(long)", "220-\(long)", (["220-a"] + [String](repeating: "220-b", count: 5000)).joined(separator: "\r\n"),
            String(repeating: "\u{0}", count: 1 << 20), "220 a\r\n250 b\r\n250 c", "\u{600}220 a", "SSH-2.0-OpenSSH", "",
        ] {
            try await TestMailServer.run(behavior { $0.replies = ["greeting": [greeting]] }) { server async throws in
                let result = try await send(try sender(server) { $0.step = .milliseconds(500) })
                #expect(result.outcome == (greeting.isEmpty ? .timedOut : .invalidReply), "\(greeting.prefix(20))")
                #expect(server.verbs.isEmpty)
                try await eventually("the connection ends") { server.open == 0 }
            }
        }
    }

    @Test("an address with other letters needs SMTPUTF8, and a limit of the size applies before the mail is sent")
    func extensions() async throws {
        try await TestMailServer.run { server async throws in
            let recipient = "\u{5B57}@acme.example"
            #expect(try await send(try sender(server), to: recipient).outcome == .sent)
            #expect(server.commands[1].text.hasSuffix(" BODY=8BITMIME SMTPUTF8"))
            #expect(server.mails.first?.recipient == recipient)
            #expect(server.mails.first?.header("To") == recipient)
            server.change { $0.extensions = ["8BITMIME"] }
            #expect(try await send(try sender(server), to: recipient) == .init(.addressUnsupported))
            // A sender that the server does not support is a failure of the settings, and no mail ends because of it.
            let foreign = try sender(server, from: "büro@acme.example")
            #expect(try await send(foreign) == .init(.senderRefused))
            #expect(try await send(foreign, to: recipient) == .init(.senderRefused))
            server.change { $0.extensions = ["SIZE 100"] }
            #expect(try await send(try sender(server)) == .init(.messageRefused))
            server.change { $0.extensions = ["SIZE"] }
            #expect(try await send(try sender(server)).outcome == .sent)
            #expect(server.mails.count == 2)
        }
    }

    // MARK: With TLS

    /// A server for the names, with a certificate of an authority.
    private func withTLS(
        _ host: String = "127.0.0.1", _ change: (inout TestMailServer.Behavior) -> Void = { _ in },
        _ body: @Sendable (TestMailServer, CertificateAuthority) async throws -> Void
    ) async throws {
        let authority = try await CertificateAuthority()
        var behavior = TestMailServer.Behavior()
        let files = try await authority.sign(host)
        behavior.certificate = (files.certificate, files.key)
        behavior.extensions.append("AUTH PLAIN")
        change(&behavior)
        try await TestMailServer.run(behavior) { try await body($0, authority) }
    }

    /// A sender that requires TLS, although the server is on this machine: `smtp://` needs none there.
    private func strictSender(
        _ server: TestMailServer, _ authority: CertificateAuthority, host: String = "127.0.0.1",
        protection: MailServer.Protection = .startTLS,
        limits change: (inout SMTPLimits) -> Void = { _ in }
    ) throws -> MailSender {
        let scheme = protection == .implicitTLS ? "smtps" : "smtp"
        var limits = SMTPLimits()
        change(&limits)
        let other = try MailSettings(
            url: "\(scheme)://u:hush@mail.acme.example:\(server.port)", sender: "login@acme.example", authorityFile: authority.certificate)
        return try MailSender(other.reached(at: host), limits: limits)
    }

    @Test("with STARTTLS, the password and the mail are protected; only EHLO and STARTTLS are not")
    func startTLS() async throws {
        try await withTLS { server, authority async throws in
            #expect(try await send(try strictSender(server, authority)).outcome == .sent)
            #expect(server.commands.filter { !$0.isProtected }.map(\.text) == ["EHLO acme.example", "STARTTLS"])
            #expect(server.commands.filter(\.isProtected).map { $0.text.prefix(4) }.prefix(3) == ["EHLO", "AUTH", "MAIL"])
            #expect(server.mails.count == 1)
        }
    }

    @Test("a connection may start with TLS, for a name and for an address")
    func implicitTLS() async throws {
        for host in ["127.0.0.1", "localhost"] {
            try await withTLS(host, { $0.isImplicit = true }) { server, authority async throws in
                let result = try await send(try strictSender(server, authority, host: host, protection: .implicitTLS))
                #expect(result.outcome == .sent, "\(host)")
                #expect(server.commands.filter(\.isProtected).count == server.commands.count)
            }
        }
    }

    @Test("a server without STARTTLS gets nothing", arguments: ["AUTH PLAIN", "X-STARTTLS", "STARTTLSX"])
    func missing(offer: String) async throws {
        try await withTLS("127.0.0.1", { ($0.certificate, $0.extensions) = (nil, [offer]) }) { server, authority async throws in
            #expect(try await send(try strictSender(server, authority)) == .init(.tlsMissing))
            #expect(server.commands.map(\.text) == ["EHLO acme.example"])
        }
    }

    @Test("a refusal of STARTTLS is not answered with the password")
    func refusedTLS() async throws {
        for (reply, expected) in [("454 later", MailResult(.deferred, reply: 454)), ("502 no", .init(.senderRefused, reply: 502))] {
            try await withTLS("127.0.0.1", { $0.replies = ["STARTTLS": [reply]] }) { server, authority async throws in
                #expect(try await send(try strictSender(server, authority)) == expected)
                #expect(server.verbs == ["EHLO", "STARTTLS"])
            }
        }
    }

    @Test("a certificate of another authority, or for another host, is refused", arguments: [false, true])
    func certificates(isImplicit: Bool) async throws {
        let protection: MailServer.Protection = isImplicit ? .implicitTLS : .startTLS
        let stranger = try await CertificateAuthority()
        try await withTLS("127.0.0.1", { $0.isImplicit = isImplicit }) { server, authority async throws in
            #expect(try await send(try strictSender(server, stranger, protection: protection)) == .init(.tlsFailed))
            // The certificate names the address, and not the name.
            #expect(try await send(try strictSender(server, authority, host: "localhost", protection: protection)) == .init(.tlsFailed))
            #expect(server.mails.isEmpty && !server.commands.contains { $0.text.hasPrefix("AUTH") })
        }
        try await withTLS("localhost", { $0.isImplicit = isImplicit }) { server, authority async throws in
            #expect(try await send(try strictSender(server, authority, protection: protection)) == .init(.tlsFailed))
        }
        try await withTLS("other.test", { $0.isImplicit = isImplicit }) { server, authority async throws in
            #expect(try await send(try strictSender(server, authority, host: "localhost", protection: protection)) == .init(.tlsFailed))
        }
    }

    @Test(
        "a reply that was sent before TLS is never read as a protected one",
        arguments: ["250 AUTH PLAIN\r\n", "250-mail.test\r\n250 AUTH PLAIN\r\n235 ok\r\n", "2", "\u{0}"])
    func injected(injected: String) async throws {
        try await withTLS("127.0.0.1", { $0.injected = injected }) { server, authority async throws in
            let result = try await send(try strictSender(server, authority) { $0.step = .seconds(5) })
            #expect([.invalidReply, .tlsFailed].contains(result.outcome), "\(result)")
            #expect(server.mails.isEmpty && !server.commands.contains { $0.text.hasPrefix("AUTH") })
        }
    }

    @Test("a server that never ends the handshake is left")
    func silentTLS() async throws {
        let listener = try SilentListener()
        let settings = try MailSettings(url: "smtps://localhost:\(listener.port)", sender: "login@acme.example")
        var limits = SMTPLimits()
        limits.step = .milliseconds(200)
        #expect(try await send(try MailSender(settings, limits: limits)) == .init(.timedOut))
    }
}

extension MailSettings {
    /// The same settings for a server on this machine.
    fileprivate func reached(at host: String) -> MailSettings {
        MailSettings(
            server: MailServer(host: host, port: server.port, protection: server.protection, credentials: server.credentials),
            sender: sender,
            authorityFile: authorityFile)
    }
}
