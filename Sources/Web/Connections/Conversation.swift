import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1

/// The requests and responses of a connection. The last handler of its pipeline.
///
/// One task per connection takes the requests, one at a time, and writes their responses. It runs on the event loop of the connection, so
/// it calls this handler directly. The server reads once in advance, and then waits until the requests of this read are taken. So a caller
/// that sends faster than its requests are answered has to wait.
///
/// An event may come between a check and the suspension after it. So each wait checks again when its continuation is stored.
final class Conversation: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = ResponsePart
    typealias OutboundOut = ResponsePart

    /// A request that the task has taken.
    struct Taken {
        let request: Request
        /// The number of the request in its connection.
        let number: Int
        /// Whether it is HTTP/1.0.
        let isOld: Bool
    }

    /// The part of the current request that the task takes next.
    private enum Next {
        case head
        case body
        /// The request is answered. The rest of its body is dropped.
        case rest
    }

    private let loop: any EventLoop
    private var context: ChannelHandlerContext?
    private var parts = CircularBuffer<HTTPServerRequestPart>(initialCapacity: 4)
    private var next = Next.head
    private var number = 0
    private var takenAtOnce = 0
    /// Whether the current request has its whole response.
    private(set) var isAnswered = false
    /// Whether no more parts arrive, and the error that ended them.
    private var (isAtEnd, failure): (Bool, (any Error)?) = (false, nil)
    private var isClosed = false
    /// Whether the channel wants to read, but has to wait until the parts are taken.
    private var isReadHeld = false

    private var requestWaiter: CheckedContinuation<Taken?, Never>?
    private var bodyWaiter: CheckedContinuation<ByteBuffer?, any Error>?
    private var roomWaiter: CheckedContinuation<Void, any Error>?

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    // MARK: Requests

    /// The next request. Nil at the end of the connection.
    func request() async -> Taken? {
        if let taken = take(isWholeOnly: false) {
            takenAtOnce += 1
            if takenAtOnce.isMultiple(of: Self.turn) { await letOthersRun() }
            return taken
        }
        takenAtOnce = 0
        return await withCheckedContinuation {
            requestWaiter = $0
            resume(isWholeOnly: false)
        }
    }

    /// The number of requests that are answered without a wait, before the other connections of the loop have their turn.
    private static let turn = 16

    /// A timer, because the loop runs all tasks that are ready before it reads other connections.
    private func letOthersRun() async {
        await withCheckedContinuation { continuation in
            _ = loop.scheduleTask(in: .microseconds(50)) { continuation.resume() }
        }
    }

    /// Takes a request whose head has arrived.
    /// - Parameter isWholeOnly: Whether to wait for more parts of the same read, because a whole request costs less than one in parts.
    private func take(isWholeOnly: Bool) -> Taken? {
        if next == .rest { dropBody() }
        guard next == .head, case .head(let head)? = parts.first else { return nil }
        let body: RequestBody
        if let whole = wholeBody() {
            body = RequestBody(buffer: whole)
        } else if isWholeOnly {
            return nil
        } else {
            parts.removeFirst()
            next = .body
            body = RequestBody(asyncSequence: ArrivingBody(of: number + 1, in: self, on: loop))
        }
        (number, isAnswered) = (number + 1, false)
        readOn()
        return Taken(request: Request(head: HTTPRequest(head), body: body), number: number, isOld: head.version == .http1_0)
    }

    /// Removes a request of which all parts have arrived, and returns its body.
    private func wholeBody() -> ByteBuffer? {
        guard parts.count > 1 else { return nil }
        switch parts[offset: 1] {
        case .end:
            parts.removeFirst(2)
            return ByteBuffer()
        case .body(let bytes):
            guard parts.count > 2, case .end = parts[offset: 2] else { return nil }
            parts.removeFirst(3)
            return bytes
        case .head: return nil
        }
    }

    private func dropBody() {
        while next == .rest, let part = parts.popFirst() { if case .end = part { next = .head } }
        readOn()
    }

    /// The next bytes of a body. Nil after its last byte, and for an earlier request.
    /// - Throws: the error that ended the requests.
    func bytes(of number: Int) async throws -> ByteBuffer? {
        guard number == self.number, next == .body else { return nil }
        if !parts.isEmpty { return takeBytes() }
        return try await withCheckedThrowingContinuation {
            bodyWaiter = $0
            resumeBody()
        }
    }

    private func resumeBody() {
        if !parts.isEmpty {
            bodyWaiter.take()?.resume(returning: takeBytes())
        } else if isAtEnd {
            bodyWaiter.take()?.resume(throwing: failure ?? ChannelError.eof)
        }
    }

    private func takeBytes() -> ByteBuffer? {
        defer { readOn() }
        if case .body(let bytes)? = parts.popFirst() { return bytes }
        next = .head
        return nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parts.append(unwrapInboundIn(data))
        if bodyWaiter != nil { resumeBody() } else { resume(isWholeOnly: true) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        resume(isWholeOnly: false)
        context.fireChannelReadComplete()
    }

    private func resume(isWholeOnly: Bool) {
        // Taken first, because a read may end the connection.
        guard let waiter = requestWaiter.take() else { return }
        if let taken = take(isWholeOnly: isWholeOnly) {
            waiter.resume(returning: taken)
        } else if isAtEnd {
            waiter.resume(returning: nil)
        } else {
            requestWaiter = waiter
        }
    }

    func read(context: ChannelHandlerContext) {
        isReadHeld = !parts.isEmpty
        if !isReadHeld { context.read() }
    }

    private func readOn() {
        guard isReadHeld, parts.isEmpty else { return }
        isReadHeld = false
        context?.read()
    }

    // MARK: Responses

    /// Writes a part of a response.
    func write(_ part: ResponsePart) {
        switch part {
        case .whole, .end: (next, isAnswered) = (next == .body ? .rest : next, true)
        case .head, .body, .last: break
        }
        context?.writeAndFlush(wrapOutboundOut(part), promise: nil)
    }

    /// Waits until the caller has read enough of the response.
    /// - Throws: `ChannelError.ioOnClosedChannel`.
    func room() async throws {
        if context?.channel.isWritable == true, !isClosed { return }
        try await withCheckedThrowingContinuation {
            roomWaiter = $0
            resumeRoom()
        }
    }

    private func resumeRoom() {
        guard !isClosed, let context else {
            roomWaiter.take()?.resume(throwing: ChannelError.ioOnClosedChannel)
            return
        }
        if context.channel.isWritable { roomWaiter.take()?.resume() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        resumeRoom()
        context.fireChannelWritabilityChanged()
    }

    // MARK: The end

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        close()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        close()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { end(nil) } else if event is LastBytes.Begin { drop() }
        context.fireUserInboundEventTriggered(event)
    }

    /// An error in the bytes of the caller, or of the connection. The parts before it are still taken.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(error) }

    /// The parts that have arrived get no response.
    private func drop() {
        parts.removeAll()
        end(nil)
        readOn()
    }

    private func close() {
        isClosed = true
        drop()
        resumeRoom()
    }

    private func end(_ error: (any Error)?) {
        (isAtEnd, failure) = (true, failure ?? error)
        resumeBody()
        resume(isWholeOnly: false)
    }
}

/// The body of a request that has not completely arrived.
private struct ArrivingBody: AsyncSequence, Sendable {
    let number: Int
    let conversation: NIOLoopBound<Conversation>
    let loop: any EventLoop

    init(of number: Int, in conversation: Conversation, on loop: any EventLoop) {
        (self.number, self.conversation, self.loop) = (number, NIOLoopBound(conversation, eventLoop: loop), loop)
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        let body: ArrivingBody

        func next() async throws -> ByteBuffer? {
            try await withTaskExecutorPreference(LoopExecutor(body.loop)) { try await body.conversation.value.bytes(of: body.number) }
        }
    }
}
