import Foundation
import Fuzzing
@testable import Mail
import Sealing

extension FuzzTarget {
    static let mail: [FuzzTarget] = [
        FuzzTarget(
            "smtp-reply", seeds: ["250 ok\r\n", "250-mail.test\r\n250-SIZE 10\r\n250 AUTH PLAIN LOGIN\r\n", "220\r\n354 go\r\n", "5"]
        ) { bytes in
            var rest = bytes
            do {
                while let reply = try SMTPReply.take(from: &rest) {
                    try hold((200...599).contains(reply.code) && !reply.lines.isEmpty, "a reply has no code or no line")
                    try hold(reply.lines.allSatisfy { !$0.contains(0x0A) }, "a line has a line break")
                    _ = SMTPExtensions(reply)
                }
                try hold(rest.count <= SMTPReply.longest, "the rest grows without a limit")
            } catch is SMTPReply.Malformed {}
        },
        FuzzTarget("mail-address", seeds: ["ada@acme.example", "a..b@c.d", "\u{FC}@a.b", "a@b\r\nDATA"]) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self), let address = MailAddress(text) else { return }
            let isPlain = address.text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
            try hold(isPlain, "\(text.debugDescription) could end a command")
            try hold(MailAddress(address.address)?.text.utf8.elementsEqual(address.text.utf8) == true, "an address changes")
        },
        FuzzTarget("mail-document", seeds: ["Hello", "Gr\u{FC}\u{DF}e =?x", ".\r\n..", "a\nb\rc \n"]) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self), let sender = MailSettings.Sender("Acme <login@acme.example>"),
                let recipient = MailAddress("ada@acme.example"),
                let message = try? Mail.Message(
                    to: recipient,
                    subject: (try? Mail.Message(to: recipient, subject: text, text: "a", html: "a", deliverBefore: .distantFuture))?.subject
                        ?? "x",
                    text: text, html: text, deliverBefore: .distantFuture)
            else { return }
            let id = UUID(uuidString: "00000000-0000-7000-8000-000000000000")!
            let document = MailDocument(message: message, sender: sender, id: id, now: Date(timeIntervalSince1970: 0)).bytes
            try hold(document.allSatisfy { $0 < 0x80 }, "a document is not ASCII")
            let lines = String(decoding: document, as: UTF8.self).components(separatedBy: "\r\n")
            try hold(
                lines.allSatisfy { line in line.utf8.count <= 998 && !line.utf8.contains { $0 == 0x0D || $0 == 0x0A } }, "a line is long")
            let head = lines.prefix { !$0.isEmpty }.filter { $0.utf8.first != 0x20 }.map { String($0.prefix { $0 != ":" }) }
            try hold(
                head == ["From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"],
                "the headers are \(head)")
            let stuffed = String(decoding: SMTPData.stuffed(document), as: UTF8.self)
            try hold(stuffed.components(separatedBy: "\r\n").count { $0 == "." } == 1, "a mail has two ends")
        },
        FuzzTarget("smtp-url", seeds: ["smtp://u:p%40@mail.example:25", "smtps://[::1]/", "smtp://localhost"]) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self), let server = try? MailServer(url: text) else { return }
            try hold((1...65_535).contains(server.port) && !server.host.isEmpty, "a server has no address")
            try hold(server.protection != .none || ["localhost", "127.0.0.1", "::1"].contains(server.host), "\(server.host) has no TLS")
            for secret in [server.credentials?.user, server.credentials?.password].compactMap(\.self) {
                try hold(secret.revealBytes().allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a password could end a command")
            }
        },
    ]
}
