import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A mail server on a free port of 127.0.0.1. The test sets its behavior, and it records what it receives. It shares no code with the
/// sender.
package final class TestMailServer: Sendable {
    package struct Behavior: Sendable {
        /// The lines after the first one in the reply to EHLO. After STARTTLS, there is no STARTTLS.
        package var extensions = ["SIZE 1000000", "8BITMIME", "SMTPUTF8"]
        /// Replies instead of the usual ones: by the verb of the command, `greeting`, or `end` for the end of a mail. Each is used once,
        /// in this order, by all connections together. An empty reply is none.
        package var replies: [String: [String]] = [:]
        /// The files of the certificate and its key. With them, the server offers STARTTLS.
        package var certificate: (certificate: String, key: String)?
        /// Whether each connection starts with TLS.
        package var isImplicit = false
        /// Bytes that the server sends without TLS after its reply to STARTTLS.
        package var injected = ""
        /// Whether the server waits for `release` before it accepts a mail.
        package var holdsMails = false

        package init() {}
    }

    package struct Received: Sendable {
        package let sender, recipient: String
        /// The bytes of the mail, without doubled dots.
        package let data: [UInt8]

        package init(sender: String, recipient: String, data: [UInt8]) {
            (self.sender, self.recipient, self.data) = (sender, recipient, data)
        }

        package var text: String { String(decoding: data, as: UTF8.self) }

        /// The content of a part of type `text/…`, decoded from quoted-printable.
        package func part(_ type: String) -> String? {
            guard let start = text.range(of: "Content-Type: text/\(type);"), let body = text[start.upperBound...].range(of: "\r\n\r\n")
            else { return nil }
            let rest = text[body.upperBound...]
            guard let end = rest.range(of: "\r\n--=_") else { return nil }
            let joined = rest[..<end.lowerBound].replacing("=\r\n", with: "").replacing("\r\n", with: "\n")
            var (bytes, left) = ([UInt8](), Array(joined.utf8)[...])
            while let byte = left.popFirst() {
                guard byte == UInt8(ascii: "=") else {
                    bytes.append(byte)
                    continue
                }
                guard let value = UInt8(String(decoding: left.prefix(2), as: UTF8.self), radix: 16) else { return nil }
                bytes.append(value)
                left.removeFirst(2)
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// The header with this name, unfolded.
        package func header(_ name: String) -> String? {
            let head = text.range(of: "\r\n\r\n").map { String(text[..<$0.lowerBound]) } ?? text
            return head.replacing("\r\n ", with: " ").components(separatedBy: "\r\n").first { $0.hasPrefix("\(name): ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    /// A line that the server read outside of a mail.
    package struct Command: Sendable {
        package let text: String
        /// Whether TLS protected it.
        package let isProtected: Bool
    }

    private struct State {
        var behavior: Behavior
        var mails: [Received] = []
        var commands: [Command] = []
        var open = 0
        var connections = 0
        var held: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>
    private let address = Mutex(0)

    package var port: Int { address.withLock { $0 } }
    package var mails: [Received] { state.withLock { $0.mails } }
    package var commands: [Command] { state.withLock { $0.commands } }
    package var verbs: [String] { commands.map { String($0.text.prefix { $0 != " " }) } }
    /// The number of connections that are open now, and of all.
    package var open: Int { state.withLock { $0.open } }
    package var connections: Int { state.withLock { $0.connections } }
    /// The number of mails that wait for `release`.
    package var held: Int { state.withLock { $0.held.count } }

    private init(_ behavior: Behavior) {
        state = Mutex(State(behavior: behavior))
    }

    package func change(_ body: (inout Behavior) -> Void) {
        state.withLock { body(&$0.behavior) }
    }

    /// Accepts the mails that wait, and those that follow.
    package func release() {
        let held = state.withLock { state in
            state.behavior.holdsMails = false
            defer { state.held = [] }
            return state.held
        }
        for release in held { release() }
    }

    /// Runs a body with a server, and stops it.
    package static func run<Outcome: Sendable>(
        _ behavior: Behavior = Behavior(), _ body: @Sendable (TestMailServer) async throws -> Outcome
    ) async throws -> Outcome {
        let server = TestMailServer(behavior)
        var tls: NIOSSLContext?
        if let files = behavior.certificate {
            let chain = try NIOSSLCertificate.fromPEMFile(files.certificate).map { NIOSSLCertificateSource.certificate($0) }
            let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
            tls = try NIOSSLContext(configuration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key)))
        }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [tls] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if behavior.isImplicit, let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.addHandler(Conversation(server, tls: tls, isProtected: behavior.isImplicit))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.address.withLock { $0 = listener.localAddress?.port ?? 0 }
        let result: Result<Outcome, any Error>
        do { result = .success(try await body(server)) } catch { result = .failure(error) }
        server.release()
        try await listener.close()
        return try result.get()
    }

    /// One connection. It runs on its event loop.
    private final class Conversation: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let server: TestMailServer
        private let tls: NIOSSLContext?
        private var isProtected: Bool
        private var bytes: [UInt8] = []
        private var isInMail = false
        private var mail: [UInt8] = []
        private var sender = ""
        private var recipient = ""
        private var expectedLines = 0

        init(_ server: TestMailServer, tls: NIOSSLContext?, isProtected: Bool) {
            (self.server, self.tls, self.isProtected) = (server, tls, isProtected)
        }

        func channelActive(context: ChannelHandlerContext) {
            server.state.withLock { state in
                state.open += 1
                state.connections += 1
            }
            reply("greeting", "220 mail.test ESMTP", context)
        }

        func channelInactive(context: ChannelHandlerContext) {
            server.state.withLock { $0.open -= 1 }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytesView
            while let end = bytes.firstIndex(of: 0x0A) {
                var line = Array(bytes[..<end])
                bytes.removeFirst(end + 1)
                if line.last == 0x0D { line.removeLast() }
                if isInMail { receive(line, context) } else { obey(String(decoding: line, as: UTF8.self), context) }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }

        private func receive(_ line: [UInt8], _ context: ChannelHandlerContext) {
            guard line == [UInt8(ascii: ".")] else {
                mail += line.first == UInt8(ascii: ".") ? line.dropFirst() : line[...]
                mail += [0x0D, 0x0A]
                return
            }
            isInMail = false
            let received = Received(sender: sender, recipient: recipient, data: mail)
            mail = []
            let refusal = takeReply("end")
            let (channel, server) = (context.channel, server)
            let accept: @Sendable () -> Void = {
                if refusal == nil || refusal == "" { server.state.withLock { $0.mails.append(received) } }
                let text = refusal ?? "250 accepted"
                if !text.isEmpty { channel.writeAndFlush(ByteBuffer(string: text + "\r\n"), promise: nil) }
            }
            let isHeld = server.state.withLock { state in
                if state.behavior.holdsMails { state.held.append(accept) }
                return state.behavior.holdsMails
            }
            if !isHeld { accept() }
        }

        private func obey(_ line: String, _ context: ChannelHandlerContext) {
            server.state.withLock { [isProtected] in $0.commands.append(Command(text: line, isProtected: isProtected)) }
            if expectedLines > 0 {
                expectedLines -= 1
                return reply("AUTH", expectedLines > 0 ? "334 UGFzc3dvcmQ6" : "235 welcome", context)
            }
            let verb = String(line.prefix { $0 != " " })
            switch verb {
            case "EHLO":
                let behavior = server.state.withLock { $0.behavior }
                let offers = behavior.extensions + (tls != nil && !isProtected ? ["STARTTLS"] : [])
                let lines = ["mail.test"] + offers
                let text = lines.enumerated().map { "250\($0 == lines.count - 1 ? " " : "-")\($1)" }.joined(separator: "\r\n")
                reply("EHLO", text, context)
            case "STARTTLS":
                let injected = server.state.withLock { $0.behavior.injected }
                let text = takeReply("STARTTLS") ?? "220 go ahead"
                write(text + "\r\n" + injected, context)
                guard text.hasPrefix("220"), let tls else { return }
                isProtected = true
                try? context.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls), position: .first)
            case "AUTH":
                guard line == "AUTH LOGIN" else { return reply("AUTH", "235 welcome", context) }
                expectedLines = 2
                reply("LOGIN", "334 VXNlcm5hbWU6", context)
            case "MAIL":
                sender = Self.path(line)
                reply("MAIL", "250 ok", context)
            case "RCPT":
                recipient = Self.path(line)
                reply("RCPT", "250 ok", context)
            case "DATA":
                let text = takeReply("DATA") ?? "354 go ahead"
                isInMail = text.hasPrefix("354")
                write(text + "\r\n", context)
            case "QUIT":
                write("221 bye\r\n", context)
                context.close(promise: nil)
            default: reply(verb, "502 unknown", context)
            }
        }

        private static func path(_ line: String) -> String {
            guard let start = line.firstIndex(of: "<"), let end = line.lastIndex(of: ">") else { return "" }
            return String(line[line.index(after: start)..<end])
        }

        private func takeReply(_ name: String) -> String? {
            server.state.withLock { state in
                guard var list = state.behavior.replies[name], !list.isEmpty else { return nil }
                defer { state.behavior.replies[name] = list }
                return list.removeFirst()
            }
        }

        private func reply(_ name: String, _ usual: String, _ context: ChannelHandlerContext) {
            let text = takeReply(name) ?? usual
            if !text.isEmpty { write(text + "\r\n", context) }
        }

        private func write(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }
}
