#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

import NIOCore
import NIOHTTP1

/// Ends a connection after its last response.
///
/// It waits until the response is sent, and closes its own direction. It still reads for a moment what the caller sends. A close with unread
/// bytes resets the connection, and the caller may lose the response (RFC 9112, section 9.6).
final class LastBytes: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = ResponsePart
    typealias OutboundOut = ResponsePart

    /// The last response is written, so no request after it counts. An event for the handlers behind this one.
    struct Begin {}

    private enum State {
        case open
        /// The last response is being sent. The caller has sent this number of bytes, and perhaps all.
        case sending(bytes: Int, isAll: Bool)
        /// The caller may still be sending.
        case reading(bytes: Int)
        case closed
    }

    private let limits: ConnectionLimits
    private var state = State.open
    private var isInputClosed = false
    /// Whether a request after the last one has arrived, so the end of a request is not the end of the input.
    private var sawNextHead = false
    /// Whether a body is being sent that ends with the connection. Only a reset tells the caller that it is incomplete.
    private var endsWithClose = false
    private var isReadHeld = false
    private var timer: Scheduled<Void>?

    init(_ limits: ConnectionLimits) {
        self.limits = limits
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .open = state else { return promise?.fail(ChannelError.ioOnClosedChannel) ?? () }
        switch unwrapOutboundIn(data) {
        case .last: begin(context, data)
        case .head(let head):
            endsWithClose = head.framing == .close
            context.write(data, promise: promise)
        case .whole, .body, .end: context.write(data, promise: promise)
        }
    }

    private func begin(_ context: ChannelHandlerContext, _ data: NIOAny) {
        state = .sending(bytes: 0, isAll: isInputClosed)
        context.fireUserInboundEventTriggered(Begin())
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { result in
            if case .success = result { self.read(context) } else { self.state = .closed }
        }
        context.writeAndFlush(data, promise: sent)
        limitStall(context)
        // The handlers behind this one may have stopped to read.
        context.read()
    }

    /// Ends the connection if the caller receives nothing for too long.
    private func limitStall(_ context: ChannelHandlerContext) {
        guard case .sending = state else { return }
        let last = context.unsentBytes
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: limits.idle) {
            if context.unsentBytes < last { self.limitStall(context) } else { self.close(context) }
        }
    }

    /// The last response is sent.
    private func read(_ context: ChannelHandlerContext) {
        guard case .sending(let bytes, let isAll) = state else { return }
        endsWithClose = false
        if isAll { return close(context) }
        state = .reading(bytes: bytes)
        context.close(mode: .output, promise: nil)
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: limits.lastTime) { self.close(context) }
        if isReadHeld { context.read() }
    }

    /// While the response is being sent, the caller may send only as much as is worth the wait.
    func read(context: ChannelHandlerContext) {
        if case .sending(let bytes, _) = state, bytes > limits.lastBytes { isReadHeld = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .open = state { return context.fireChannelRead(data) }
        switch unwrapInboundIn(data) {
        case .head: sawNextHead = true
        case .body(let bytes): count(bytes.readableBytes, context)
        case .end: if !sawNextHead { endInput(context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .open = state { return context.fireErrorCaught(error) }
        // The bytes after the byte that the parser rejected.
        if case .dataReceivedInErrorState(_, let more)? = error as? ByteToMessageDecoderError { count(more.readableBytes, context) }
    }

    private func count(_ more: Int, _ context: ChannelHandlerContext) {
        switch state {
        case .open, .closed: break
        case .sending(let bytes, let isAll): state = .sending(bytes: bytes + more, isAll: isAll)
        case .reading(let bytes):
            state = .reading(bytes: bytes + more)
            // More than is worth the wait.
            if bytes + more > limits.lastBytes { close(context) }
        }
    }

    /// The caller has sent the whole request, or closed its direction.
    private func endInput(_ context: ChannelHandlerContext) {
        switch state {
        case .open, .closed: break
        case .sending(let bytes, _): state = .sending(bytes: bytes, isAll: true)
        case .reading: close(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent else { return }
        isInputClosed = true
        endInput(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        state = .closed
        // A timer would keep this connection in memory.
        timer?.cancel()
        context.fireChannelInactive()
    }

    private func close(_ context: ChannelHandlerContext) {
        if case .closed = state { return }
        state = .closed
        close(context: context, mode: .all, promise: nil)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if case .all = mode, endsWithClose {
            // It fails only if the connection has already ended.
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        context.close(mode: mode, promise: promise)
    }
}

extension ChannelHandlerContext {
    /// The number of bytes that wait until the caller receives more.
    var unsentBytes: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}
