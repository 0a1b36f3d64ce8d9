import NIOCore
import NIOSSL
import Synchronization

/// Reads the replies of one connection, one at a time.
final class SMTPReplies: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    typealias Answer = Result<SMTPReply, MailResult>

    private struct State {
        var bytes: [UInt8] = []
        /// Why no further reply comes.
        var end: MailResult?
        var waiting: CheckedContinuation<Answer, Never>?

        /// The next reply, if it is complete, or the end.
        mutating func take() -> Answer? {
            if end == nil || !bytes.isEmpty {
                do throws(SMTPReply.Malformed) {
                    if let reply = try SMTPReply.take(from: &bytes) { return .success(reply) }
                } catch {
                    stop(.init(.invalidReply))
                }
            }
            return end.map { .failure($0) }
        }

        mutating func stop(_ result: MailResult) {
            if end == nil { end = result }
            bytes = []
        }
    }

    private let state = Mutex(State())

    /// Whether the server sent more than it was asked for.
    var hasUnread: Bool { state.withLock { !$0.bytes.isEmpty } }

    /// Waits for the next reply. Only one caller waits at a time.
    func next() async -> Answer {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Answer? in
                precondition(state.waiting == nil)
                if let answer = state.take() { return answer }
                state.waiting = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Ends the conversation. The first reason counts.
    func end(_ result: MailResult) {
        advance { $0.stop(result) }
    }

    /// - Returns: Whether the conversation has ended.
    @discardableResult
    private func advance(_ change: (inout State) -> Void) -> Bool {
        let (waiting, answer, hasEnded) = state.withLock { state -> (CheckedContinuation<Answer, Never>?, Answer?, Bool) in
            change(&state)
            guard let waiting = state.waiting, let answer = state.take() else { return (nil, nil, state.end != nil) }
            state.waiting = nil
            return (waiting, answer, state.end != nil)
        }
        if let waiting, let answer { waiting.resume(returning: answer) }
        return hasEnded
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let received = unwrapInboundIn(data)
        let hasEnded = advance { state in
            guard state.end == nil else { return }
            state.bytes += received.readableBytesView
            // Without a reader, the bytes would grow without a limit.
            if state.bytes.count > SMTPReply.longest { state.stop(.init(.invalidReply)) }
        }
        if hasEnded { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        advance { state in if state.end == nil { state.end = .init(.connectionFailed) } }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.init(Self.outcome(of: error)))
        context.close(promise: nil)
    }

    private static func outcome(of error: any Error) -> MailResult.Outcome {
        switch error {
        // The server closed the connection without the end of TLS.
        case NIOSSLError.uncleanShutdown: .connectionFailed
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: .tlsFailed
        default: .connectionFailed
        }
    }
}
