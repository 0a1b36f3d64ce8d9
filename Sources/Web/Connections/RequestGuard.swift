import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Applies the limits to one connection: the caps, the time of a request, the rate of a body, a readable head with one valid `Host`,
/// and the end of the connection after a refused, half-read request.
///
/// Only the time in which the server waits for the caller counts. The clock of the request stops while the server does not read
/// because an action is busy.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = ResponsePart
    typealias OutboundOut = ResponsePart

    private enum Reading {
        /// No byte of a request has arrived.
        case nothing
        case head
        case body
    }

    private enum Ending {
        case not
        /// After the response that is being written.
        case afterAnswer
        /// `LastBytes` ends the connection, or it is closed.
        case ended
    }

    private let limits: ConnectionLimits
    private let connections: OpenConnections
    private let reader: ConnectionReader
    /// The caller's network, once the connection is counted.
    private var network: String?

    private var reading = Reading.nothing
    private var ending = Ending.not
    /// Whether the server stops. The connection then ends after its requests in progress.
    private var isStopping = false
    /// Whether the parser reads no request after those that have arrived.
    private var isLastRequest = false
    /// Whether a request has arrived that nobody answers, because an earlier response is the last one.
    private var isIgnoring = false
    private var sawPart = false
    private var sawBytes = false
    /// The time of the last part that arrived, or of the last response.
    private var lastActive = NIODeadline.uptimeNanoseconds(0)
    /// Each would keep a closed connection in memory.
    private var (silenceTimer, requestTimer, stallTimer, stopTimer):
        (Scheduled<Void>?, Scheduled<Void>?, Scheduled<Void>?, Scheduled<Void>?)
    /// The arrival times of the first byte of the request and of its body.
    private var (began, bodyBegan) = (NIODeadline.uptimeNanoseconds(0), NIODeadline.uptimeNanoseconds(0))
    private var received = 0
    /// The length of the body; nil if only its end shows the length.
    private var expected: Int?
    /// The time when the server stopped reading.
    private var pausedAt: NIODeadline?
    private var isTimed = false
    /// Requests that were passed on and are not completely answered.
    private var unanswered = 0
    private var isAnswering = false
    /// Whether the end of the last request that was passed on is still missing.
    private var isPassingOn = false
    /// A refusal that waits for the responses before it.
    private var refusal: Refusal?
    /// Whether the caller does not receive a response as fast as it is written, and whether it did since the timer runs.
    private var (isStalled, didResume) = (false, false)

    private struct Refusal {
        let status: HTTPResponse.Status
        let problem: Problem
        /// Nil if no head was complete.
        var method: HTTPMethod?
    }

    /// A request that the guard itself answered, for the access log and the metrics.
    struct Refused: Sendable {
        let requestID, method, outcome: String
        let status: Int
        let took: Duration
    }

    private let report: @Sendable (Refused) -> Void

    /// - Parameter report: Called once per response of the guard itself. The guard never answers a request that it passed on.
    init(
        _ limits: ConnectionLimits, connections: OpenConnections, reader: ConnectionReader,
        report: @escaping @Sendable (Refused) -> Void = { _ in }
    ) {
        (self.limits, self.connections, self.reader, self.report) = (limits, connections, reader, report)
    }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { count(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        count(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let network { connections.close(from: network) }
        (network, reading, ending) = (nil, .nothing, .ended)
        for timer in [silenceTimer, requestTimer, stallTimer, stopTimer] { timer?.cancel() }
        context.fireChannelInactive()
    }

    private func count(_ context: ChannelHandlerContext) {
        guard network == nil, case .not = ending else { return }
        let caller = CallerNetwork.of(context.remoteAddress?.ipAddress)
        guard connections.open(from: caller, within: limits) else { return close(context) }
        (network, lastActive) = (caller, context.eventLoop.now)
        limitSilence(context, lastActive + min(limits.firstByte, limits.idle))
    }

    /// Ends a connection that is silent for too long. One timer runs all the time. It is not set again for each request.
    private func limitSilence(_ context: ChannelHandlerContext, _ next: NIODeadline) {
        silenceTimer = context.eventLoop.assumeIsolated().scheduleTask(deadline: next) {
            if case .ended = self.ending { return }
            let (now, limit) = (context.eventLoop.now, self.lastActive + self.limits.idle)
            // An action may take longer, and a request has its own limits.
            let isWaiting = self.unanswered == 0 && self.reading == .nothing
            guard self.sawBytes, !isWaiting || now < limit else { return self.close(context) }
            self.limitSilence(context, isWaiting ? limit : now + self.limits.idle)
        }
    }

    private func close(_ context: ChannelHandlerContext) {
        if case .ended = ending { return }
        (reading, ending) = (.nothing, .ended)
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { return stop(context) }
        if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            isLastRequest = true
            // The end of the input is not the start of a head.
            if reading == .head { reading = .nothing }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// The server stops, and its port is closed. A connection whose first head has not arrived stays open for a moment: the request may
    /// already be on its way, and a proxy may not send it again.
    private func stop(_ context: ChannelHandlerContext) {
        isStopping = true
        // Nobody answers it. NIO ends the process if a connection is never read.
        guard reader.hasStarted else { return close(context) }
        guard case .not = ending, unanswered == 0 else { return }
        guard !sawBytes || reading == .head else { return close(context) }
        stopTimer = context.eventLoop.assumeIsolated().scheduleTask(in: limits.lastTime) {
            if case .not = self.ending, self.unanswered == 0 { self.close(context) }
        }
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        (sawPart, lastActive) = (true, context.eventLoop.now)
        if case .ended = ending { return }
        guard refusal == nil, !isIgnoring else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            // RFC 9112, section 9.6: no request after the last response is processed.
            if case .afterAnswer = ending { return isIgnoring = true }
            guard unanswered < limits.inAdvance else { return (isLastRequest, isIgnoring) = (true, true) }
            if reading == .nothing { began = lastActive }
            (reading, bodyBegan, received, expected) = (.body, lastActive, 0, Self.length(of: head))
            if let problem = Problem(unusable: head) {
                return refuse(.init(status: .badRequest, problem: problem, method: head.method), context)
            }
            // The parser also stops at a request to change the protocol. No action supports such a request.
            if !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "Upgrade") { isLastRequest = true }
            (unanswered, isPassingOn) = (unanswered + 1, true)
        case .body(let bytes): received += bytes.readableBytes
        case .end: (reading, isPassingOn) = (.nothing, false)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        sawBytes = true
        if case .not = ending {
            // Bytes arrived, but no part of a request: a head has started.
            if !sawPart, reading == .nothing, refusal == nil { (reading, began) = (.head, context.eventLoop.now) }
            if reading != .nothing {
                pausedAt = context.eventLoop.now
                time(context)
            }
        }
        sawPart = false
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        // Nobody answers what follows the last response. `LastBytes` reads it, after the response.
        switch ending {
        case .not, .afterAnswer: if isIgnoring { return }
        case .ended: break
        }
        if let pausedAt {
            let pause = context.eventLoop.now - pausedAt
            (began, bodyBegan, self.pausedAt) = (began + pause, bodyBegan + pause, nil)
        }
        context.read()
    }

    private static func length(of head: HTTPRequestHead) -> Int? {
        guard head.headers["Transfer-Encoding"].isEmpty else { return nil }
        return head.headers.first(name: "Content-Length").map { Int($0) } ?? 0
    }

    /// Rejects a request that the parser cannot read. An error in a body goes to the action, which responds.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError { refuseUnreadable(error, context) } else { context.fireErrorCaught(error) }
    }

    private func refuseUnreadable(_ error: HTTPParserError, _ context: ChannelHandlerContext) {
        guard !isPassingOn else {
            // This also happens at the end of the connection, because a body that was cut off is incomplete.
            if unanswered == 0 { close(context) } else if reading == .body, unanswered == 1 { ending = .afterAnswer }
            return context.fireErrorCaught(error)
        }
        // A caller that has disconnected gets no response.
        guard case .not = ending, refusal == nil, !isIgnoring, context.channel.isActive else { return }
        if reading == .nothing { began = context.eventLoop.now }
        refuse(.init(status: .badRequest, problem: Problem(unreadable: error)), context)
    }

    // MARK: Time

    private var deadline: NIODeadline {
        let whole = began + limits.request
        guard reading == .body else { return whole }
        let earned = TimeAmount.milliseconds(Int64(received) * 1000 / Int64(max(1, limits.bodyRate)))
        return min(whole, bodyBegan + limits.bodyGrace + earned)
    }

    /// At most one timer runs, and only for a request that arrived in several reads. It is not set again for each read. Instead, it
    /// checks the deadline when it fires.
    private func time(_ context: ChannelHandlerContext) {
        guard !isTimed else { return }
        isTimed = true
        // A deadline does not pass while the server does not read.
        let next = pausedAt == nil ? deadline : max(deadline, context.eventLoop.now + .milliseconds(100))
        requestTimer = context.eventLoop.assumeIsolated().scheduleTask(deadline: next) {
            self.isTimed = false
            guard case .not = self.ending, self.reading != .nothing else { return }
            guard self.pausedAt == nil, context.eventLoop.now >= self.deadline else { return self.time(context) }
            self.timeOut(context)
        }
    }

    private func timeOut(_ context: ChannelHandlerContext) {
        // No other response can follow one that has started or that belongs to an earlier request.
        guard !isAnswering, unanswered == (reading == .body ? 1 : 0) else { return close(context) }
        let whole = "Send the whole request within \(limits.request.nanoseconds / 1_000_000_000) s"
        guard reading == .body else {
            answer(.init(status: .requestTimeout, problem: Problem(.requestTimeout, "The request arrived too slowly. \(whole).")), context)
            return close(context)
        }
        // The action has the request and responds, so that the request is logged and counted once.
        let problem = Problem(
            .requestTimeout, "The body arrived too slowly. \(whole), and the body at \(limits.bodyRate) bytes per second or more.")
        ending = .afterAnswer
        context.fireErrorCaught(SlowBody(problem: problem))
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isStalled = !context.channel.isWritable
        if !isStalled { didResume = true } else if stallTimer == nil { limitStall(context) }
        context.fireChannelWritabilityChanged()
    }

    /// Ends a connection whose caller receives nothing for too long. At most one timer runs.
    private func limitStall(_ context: ChannelHandlerContext) {
        let last = context.unsentBytes
        didResume = false
        stallTimer = context.eventLoop.assumeIsolated().scheduleTask(in: limits.idle) {
            self.stallTimer = nil
            guard self.isStalled else { return }
            if self.didResume || context.unsentBytes < last { self.limitStall(context) } else { self.close(context) }
        }
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .ended = ending { return promise?.fail(ChannelError.ioOnClosedChannel) ?? () }
        switch unwrapOutboundIn(data) {
        case .whole(let head, let body):
            context.write(wrapOutboundOut(.whole(ended(head), body)), promise: promise)
            finish(context)
        case .head(let head):
            isAnswering = true
            context.write(wrapOutboundOut(.head(ended(head))), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            context.write(data, promise: promise)
            finish(context)
        case .last: end(context)
        }
    }

    /// The head, with the end of the connection if it is the last one.
    private func ended(_ head: ResponsePart.Head) -> ResponsePart.Head {
        var head = head
        if endsConnection(head) { (ending, head.isLast) = (.afterAnswer, true) }
        return head
    }

    /// A response is complete.
    private func finish(_ context: ChannelHandlerContext) {
        (isAnswering, unanswered, lastActive) = (false, max(0, unanswered - 1), context.eventLoop.now)
        // Its head was written before the server stopped.
        if isStopping, unanswered == 0, refusal == nil, case .not = ending { ending = .afterAnswer }
        if case .afterAnswer = ending {
            end(context)
        } else if unanswered == 0, let refusal {
            refuse(refusal, context)
        }
    }

    /// Whether the caller or the server stops, or the rest of the request is unreadable, or too long to read just to keep the connection
    /// open.
    private func endsConnection(_ head: ResponsePart.Head) -> Bool {
        if case .afterAnswer = ending { return true }
        if head.isLast || head.fields.status == .contentTooLarge || isLastRequest && unanswered == 1 { return true }
        // A caller that reads slowly must not delay the stop by requests that it has sent in advance.
        if isStopping, refusal == nil { return true }
        if connections.isEnding, unanswered == 1, refusal == nil { return true }
        guard reading == .body, unanswered == 1 else { return false }
        return expected.map { $0 - received > limits.rest } ?? true
    }

    private func refuse(_ refusal: Refusal, _ context: ChannelHandlerContext) {
        guard unanswered == 0 else {
            (self.refusal, reading) = (refusal, .nothing)
            return
        }
        answer(refusal, context)
        end(context)
    }

    private func answer(_ refusal: Refusal, _ context: ChannelHandlerContext) {
        let id = Edge.requestID(from: nil)
        let body = refusal.problem.encoded(instance: "", requestID: id)
        let fields = HTTPResponse(
            status: refusal.status,
            headerFields: [
                .contentType: "application/problem+json", .contentLength: "\(body.count)", .cacheControl: "no-store", .requestID: id,
                .xContentTypeOptions: "nosniff",
            ])
        let head = ResponsePart.Head(fields, refusal.method == .HEAD ? .none : .length, isLast: true)
        context.writeAndFlush(wrapOutboundOut(.whole(head, context.channel.allocator.buffer(bytes: body))), promise: nil)
        report(
            Refused(
                requestID: id, method: refusal.method?.rawValue ?? "none", outcome: refusal.problem.code.rawValue,
                status: Int(refusal.status.code), took: .nanoseconds(max(0, (context.eventLoop.now - began).nanoseconds))))
    }

    /// The last response is written.
    private func end(_ context: ChannelHandlerContext) {
        if case .ended = ending { return }
        (reading, ending) = (.nothing, .ended)
        context.writeAndFlush(wrapOutboundOut(.last), promise: nil)
    }
}
