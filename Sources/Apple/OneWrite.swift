import NIOCore

/// Sends the parts of a request with one write.
///
/// AsyncHTTPClient flushes the head, and then the body. Both usually come in the same turn of the event loop, so one flush at its end sends
/// both.
final class OneWrite: ChannelOutboundHandler {
    typealias OutboundIn = Any

    private var isScheduled = false

    func flush(context: ChannelHandlerContext) {
        guard !isScheduled else { return }
        isScheduled = true
        context.eventLoop.assumeIsolated().execute { self.flushNow(context) }
    }

    /// Sends flushed data before the end, as AsyncHTTPClient expects.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        flushNow(context)
        context.close(mode: mode, promise: promise)
    }

    private func flushNow(_ context: ChannelHandlerContext) {
        guard isScheduled else { return }
        isScheduled = false
        context.flush()
    }

    /// Adds the handler at the socket, so that an encrypted request is one write too.
    static func install(on channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(OneWrite(), position: .first)
        }
    }
}
