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
    private var timer: Scheduled<Void>?

    init(_ limits: ConnectionLimits) {
        self.limits = limits
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .open = state else { return promise?.fail(ChannelError.ioOnClosedChannel) ?? () }
        guard case .last = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        state = .sending(bytes: 0, isAll: isInputClosed)
        context.fireUserInboundEventTriggered(Begin())
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.read(context) }
        context.writeAndFlush(data, promise: sent)
        guard case .sending = state else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: limits.idle) { self.close(context) }
    }

    /// The last response is sent.
    private func read(_ context: ChannelHandlerContext) {
        guard case .sending(let bytes, let isAll) = state else { return }
        if isAll { return close(context) }
        state = .reading(bytes: bytes)
        context.close(mode: .output, promise: nil)
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: limits.lastTime) { self.close(context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .open = state { return context.fireChannelRead(data) }
        switch unwrapInboundIn(data) {
        case .head: break
        case .body(let bytes): count(bytes.readableBytes, context)
        case .end: endInput(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .open = state { return context.fireErrorCaught(error) }
        // The bytes after the byte that the parser rejected.
        if case .dataReceivedInErrorState(_, let more)? = error as? ByteToMessageDecoderError { count(more.readableBytes, context) }
    }

    private func count(_ more: Int, _ context: ChannelHandlerContext) {
        let sum: Int
        switch state {
        case .open, .closed: return
        case .sending(let bytes, let isAll):
            sum = bytes + more
            state = .sending(bytes: sum, isAll: isAll)
        case .reading(let bytes):
            sum = bytes + more
            state = .reading(bytes: sum)
        }
        // More than is worth the wait.
        if sum > limits.lastBytes { close(context) }
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
        context.close(promise: nil)
    }
}
