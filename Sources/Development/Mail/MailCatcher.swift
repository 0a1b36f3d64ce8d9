import Foundation
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// A mail server on loopback that delivers nothing. It keeps the newest mails in memory, and `MailPages` shows them.
package final class MailCatcher: Service {
    /// The most mails that are kept, and the most bytes of one mail.
    static let capacity = 100
    static let largest = 256 * 1024
    private static let mostConnections = 16

    private struct State {
        var last = 0
        var mails: [CaughtMail] = []
        var connections = 0
    }

    private let state = Mutex(State())
    private let address = Mutex<(any Channel)?>(nil)

    /// The mails, newest first.
    var mails: [CaughtMail] { state.withLock { $0.mails } }

    private init() {}

    /// Listens on a free port.
    package static func start() async throws -> MailCatcher {
        let catcher = MailCatcher()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                guard catcher.enter() else { return channel.close() }
                channel.closeFuture.whenComplete { _ in catcher.leave() }
                return channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(MailReceiver(catcher)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        catcher.address.withLock { $0 = listener }
        return catcher
    }

    package var port: Int { address.withLock { $0?.localAddress?.port } ?? 0 }

    package func run() async throws {
        try? await gracefulShutdown()
        try await address.withLock { $0 }?.close()
    }

    func keep(_ data: [UInt8], from sender: String, to recipients: [String], at now: Date) {
        state.withLock { state in
            state.last += 1
            state.mails.insert(CaughtMail(number: state.last, at: now, sender: sender, recipients: recipients, data: data), at: 0)
            if state.mails.count > Self.capacity { state.mails.removeLast() }
        }
    }

    private func enter() -> Bool {
        state.withLock { state in
            guard state.connections < Self.mostConnections else { return false }
            state.connections += 1
            return true
        }
    }

    private func leave() {
        state.withLock { $0.connections -= 1 }
    }
}

/// One connection to the catcher. It accepts every mail (RFC 5321).
private final class MailReceiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let longestLine = 4096
    private static let mostRecipients = 20

    private let catcher: MailCatcher
    private var line: [UInt8] = []
    private var data: [UInt8]?
    private var isTooLarge = false
    private var sender = ""
    private var recipients: [String] = []

    init(_ catcher: MailCatcher) {
        self.catcher = catcher
    }

    func channelActive(context: ChannelHandlerContext) {
        reply("220 espalier-dev ESMTP", context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for byte in unwrapInboundIn(data).readableBytesView {
            guard byte == 0x0A else {
                line.append(byte)
                if line.count > Self.longestLine { return context.close(promise: nil) }
                continue
            }
            if line.last == 0x0D { line.removeLast() }
            let whole = line
            line = []
            if self.data == nil { obey(whole, context) } else { receive(whole, context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func obey(_ line: [UInt8], _ context: ChannelHandlerContext) {
        let verb = String(decoding: line.prefix(4), as: UTF8.self).uppercased()
        switch verb {
        case "EHLO": reply("250-espalier-dev\r\n250-SIZE \(MailCatcher.largest)\r\n250-8BITMIME\r\n250 SMTPUTF8", context)
        case "HELO", "NOOP": reply("250 espalier-dev", context)
        case "MAIL":
            (sender, recipients) = (Self.path(line), [])
            reply("250 ok", context)
        case "RCPT":
            guard recipients.count < Self.mostRecipients else { return reply("452 too many recipients", context) }
            recipients.append(Self.path(line))
            reply("250 ok", context)
        case "DATA":
            guard !recipients.isEmpty else { return reply("503 a recipient is missing", context) }
            (data, isTooLarge) = ([], false)
            reply("354 end with a line of one dot", context)
        case "RSET":
            (sender, recipients) = ("", [])
            reply("250 ok", context)
        case "QUIT":
            reply("221 bye", context)
            context.close(promise: nil)
        default: reply("502 unknown command", context)
        }
    }

    private func receive(_ line: [UInt8], _ context: ChannelHandlerContext) {
        guard line != [UInt8(ascii: ".")] else {
            let mail = data ?? []
            data = nil
            guard !isTooLarge else { return reply("552 the mail is too large", context) }
            catcher.keep(mail, from: sender, to: recipients, at: Date())
            return reply("250 caught", context)
        }
        guard !isTooLarge, (data?.count ?? 0) + line.count + 2 <= MailCatcher.largest else {
            (isTooLarge, data) = (true, [])
            return
        }
        data?.append(contentsOf: line.first == UInt8(ascii: ".") ? line.dropFirst() : line[...])
        data?.append(contentsOf: [0x0D, 0x0A])
    }

    /// The address between `<` and `>`.
    private static func path(_ line: [UInt8]) -> String {
        guard let start = line.firstIndex(of: UInt8(ascii: "<")), let end = line.lastIndex(of: UInt8(ascii: ">")), start < end else {
            return ""
        }
        return String(decoding: line[(start + 1)..<end], as: UTF8.self)
    }

    private func reply(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text + "\r\n")), promise: nil)
    }
}
