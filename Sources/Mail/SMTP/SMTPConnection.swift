import NIOCore
import NIOPosix
import NIOSSL

/// One connection to the mail server.
struct SMTPConnection: Sendable {
    private let channel: any Channel
    private let replies: SMTPReplies
    private let limits: SMTPLimits
    private let deadline: ContinuousClock.Instant
    /// For the certificate. Nil for an address, which the certificate must name instead.
    private let serverName: String?

    /// Connects.
    /// - Parameter tls: For a connection that starts with TLS.
    /// - Throws: `MailResult`
    static func open(_ server: MailServer, tls: NIOSSLContext?, limits: SMTPLimits, deadline: ContinuousClock.Instant) async throws
        -> SMTPConnection
    {
        let replies = SMTPReplies()
        let serverName = (try? SocketAddress(ipAddress: server.host, port: server.port)) == nil ? server.host : nil
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(TimeAmount(min(limits.connection, max(.milliseconds(1), deadline - .now))))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        if let tls {
                            try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: tls, serverHostname: serverName))
                        }
                        try channel.pipeline.syncOperations.addHandler(replies)
                    }
                }
                .connect(host: server.host, port: server.port).get()
        } catch {
            throw MailResult(outcome(of: error))
        }
        return SMTPConnection(channel: channel, replies: replies, limits: limits, deadline: deadline, serverName: serverName)
    }

    private static func outcome(of error: any Error) -> MailResult.Outcome {
        switch error {
        case ChannelError.connectTimeout: .timedOut
        case let error as NIOConnectionError where error.connectionErrors.isEmpty: .nameNotResolved
        case let error as NIOConnectionError where error.connectionErrors.allSatisfy({ $0.error.isConnectTimeout }): .timedOut
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: .tlsFailed
        default: .connectionFailed
        }
    }

    /// Reads the server's first reply.
    /// - Throws: `MailResult`, `CancellationError`
    func greeting() async throws -> SMTPReply {
        try await reply()
    }

    /// Sends a command and reads its reply.
    /// - Throws: `MailResult`, also for a command with a line break, which would be two commands. `CancellationError`
    func command(_ text: String) async throws -> SMTPReply {
        guard !text.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else { throw MailResult(.messageRefused) }
        return try await exchange(Array(text.utf8) + [0x0D, 0x0A])
    }

    /// Requires that the server sent nothing more than its last reply. A second reply would look like the reply to the next command.
    /// - Throws: `MailResult`
    func requireNothingUnread() throws {
        guard !replies.hasUnread else { throw MailResult(.invalidReply) }
    }

    /// Sends the bytes after DATA. It takes longer than a command, because servers also inspect a mail then.
    /// - Throws: `MailResult`, `CancellationError`
    func data(_ bytes: [UInt8]) async throws -> SMTPReply {
        try await exchange(bytes, within: limits.data)
    }

    /// Protects the connection with TLS (RFC 3207). Bytes that arrived before TLS may be an attacker's, so they are never read as a reply.
    /// - Throws: `MailResult` if the server sent something after its reply. It would look like the reply to a protected command.
    func startTLS(_ tls: NIOSSLContext) async throws {
        do {
            try await channel.eventLoop.submit { [channel, replies, serverName] in
                guard !replies.hasUnread else { throw MailResult(.invalidReply) }
                try channel.pipeline.syncOperations.addHandler(
                    NIOSSLClientHandler(context: tls, serverHostname: serverName), position: .first)
            }.get()
        } catch let result as MailResult {
            throw result
        } catch {
            throw MailResult(.tlsFailed)
        }
    }

    /// Requires that the certificate names the host of the settings. Called after the first reply over TLS, and before anything secret.
    /// - Throws: `MailResult`
    func requireCertificateForName() async throws {
        // NIOSSL has compared an address.
        guard let serverName else { return }
        let certificate = try? await channel.nioSSL_peerCertificate().get()
        guard let certificate, certificate.isFor(serverName) else { throw MailResult(.tlsFailed) }
    }

    /// Ends the conversation without waiting for its last reply, because nothing depends on it.
    func quit() {
        channel.writeAndFlush(ByteBuffer(string: "QUIT\r\n"), promise: nil)
        close()
    }

    func close() {
        channel.close(promise: nil)
    }

    private func exchange(_ bytes: [UInt8], within limit: Duration? = nil) async throws -> SMTPReply {
        try requireNothingUnread()
        // A failed write closes the connection, which ends the wait.
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        return try await reply(within: limit)
    }

    private func reply(within limit: Duration? = nil) async throws -> SMTPReply {
        let time = min(limit ?? limits.step, max(.zero, deadline - .now))
        let alarm = channel.eventLoop.scheduleTask(in: TimeAmount(time)) { [channel, replies] in
            replies.end(.init(.timedOut))
            channel.close(promise: nil)
        }
        defer { alarm.cancel() }
        let answer = await withTaskCancellationHandler {
            await replies.next()
        } onCancel: {
            replies.end(.init(.connectionFailed))
            channel.close(promise: nil)
        }
        try Task.checkCancellation()
        return try answer.get()
    }
}

extension Error {
    fileprivate var isConnectTimeout: Bool { if case .connectTimeout? = self as? ChannelError { true } else { false } }
}
