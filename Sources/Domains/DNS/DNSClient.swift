import NIOCore
import NIOPosix

/// Asks recursive resolvers for the records of a name, by UDP, and by TCP if the response is too large for it (RFC 1035, section 4.2). It
/// asks the next resolver if one gives no answer.
///
/// Each question has a random ID and a socket of its own with a random port, which is connected to the resolver. So nobody else can answer
/// without a guess of both (RFC 5452, section 4).
struct DNSClient: Sendable {
    let resolvers: [ResolverAddress]
    /// The time for one question to one resolver, with its repetitions.
    private let limit: TimeAmount

    /// How often a question is sent. A datagram may be lost.
    private static let tries = 3
    /// The longest message by TCP that is read, in bytes.
    private static let longest = 16_384

    /// By default, all resolvers together have less than the 10 s that a request to a host may take.
    init(resolvers: [ResolverAddress], limit: TimeAmount? = nil) {
        (self.resolvers, self.limit) = (resolvers, limit ?? .seconds(resolvers.count > 1 ? 3 : 5))
    }

    enum Failure: Error, Equatable {
        /// No answer came in time, or no resolver could find one.
        case noAnswer
    }

    /// The data of the records. Empty if the name does not exist or has none.
    /// - Throws: `Failure`, `CancellationError`.
    func records(_ kind: DNSMessage.Kind, of name: String) async throws -> [[UInt8]] {
        for resolver in resolvers {
            do { return try await records(kind, of: name, from: resolver) } catch is Failure { try Task.checkCancellation() }
        }
        throw Failure.noAnswer
    }

    private func records(_ kind: DNSMessage.Kind, of name: String, from resolver: ResolverAddress) async throws -> [[UInt8]] {
        let id = UInt16.random(in: 0...UInt16.max)
        guard let query = DNSMessage.query(kind, of: name, id: id) else { return [] }
        let question = Question(kind: kind, name: name, id: id, query: query)
        do {
            let address = try SocketAddress(ipAddress: resolver.host, port: resolver.port)
            switch try await byDatagram(question, to: address) {
            case .records(let records): return records
            case .truncated: break
            }
            guard case .records(let records) = try await byStream(question, to: address) else { throw Failure.noAnswer }
            return records
        } catch let error as CancellationError {
            throw error
        } catch {
            throw Failure.noAnswer
        }
    }

    struct Question: Sendable {
        let kind: DNSMessage.Kind
        let name: String
        let id: UInt16
        let query: [UInt8]

        func answer(in message: [UInt8]) throws(DNSMessage.Refusal) -> DNSMessage.Answer {
            try DNSMessage.answer(in: message, to: kind, of: name, id: id)
        }
    }

    private func byDatagram(_ question: Question, to address: SocketAddress) async throws -> DNSMessage.Answer {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let answer = loop.makePromise(of: DNSMessage.Answer.self)
        do {
            let channel = try await DatagramBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            DatagramHandler(question, to: address, tries: Self.tries, limit: limit, answer))
                    }
                }
                .connect(to: address).get()
            answer.futureResult.whenComplete { _ in channel.close(promise: nil) }
        } catch {
            answer.fail(error)
        }
        return try await answer.futureResult.get()
    }

    private func byStream(_ question: Question, to address: SocketAddress) async throws -> DNSMessage.Answer {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let answer = loop.makePromise(of: DNSMessage.Answer.self)
        let deadline = loop.scheduleTask(in: limit) { answer.fail(Failure.noAnswer) }
        do {
            let channel = try await ClientBootstrap(group: loop)
                .connectTimeout(limit)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(StreamHandler(question, longest: Self.longest, answer))
                    }
                }
                .connect(to: address).get()
            answer.futureResult.whenComplete { _ in
                deadline.cancel()
                channel.close(promise: nil)
            }
        } catch {
            deadline.cancel()
            answer.fail(error)
        }
        return try await answer.futureResult.get()
    }
}

/// Sends a question until its answer comes, and ignores everything else that comes.
private final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private let question: DNSClient.Question
    private let address: SocketAddress
    private let tries: Int
    private let limit: TimeAmount
    private let answer: EventLoopPromise<DNSMessage.Answer>
    private var sent = 0
    private var timer: Scheduled<Void>?

    init(
        _ question: DNSClient.Question, to address: SocketAddress, tries: Int, limit: TimeAmount,
        _ answer: EventLoopPromise<DNSMessage.Answer>
    ) {
        (self.question, self.address, self.tries, self.limit, self.answer) = (question, address, tries, limit, answer)
    }

    func channelActive(context: ChannelHandlerContext) { send(context) }

    private func send(_ context: ChannelHandlerContext) {
        guard sent < tries else { return answer.fail(DNSClient.Failure.noAnswer) }
        sent += 1
        context.writeAndFlush(
            wrapOutboundOut(AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: question.query))), promise: nil)
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(limit.nanoseconds / Int64(tries))) {
            self.send(context)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do throws(DNSMessage.Refusal) {
            answer.succeed(try question.answer(in: Array(unwrapInboundIn(data).data.readableBytesView)))
        } catch {
            // Something else may be a forgery, and the answer may still come.
            if case .failed = error { answer.fail(error) }
        }
    }

    /// For example if nothing listens at the port.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { answer.fail(error) }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        answer.fail(DNSClient.Failure.noAnswer)
    }
}

/// Sends a question after its length, and reads one message.
private final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let question: DNSClient.Question
    private let longest: Int
    private let answer: EventLoopPromise<DNSMessage.Answer>
    private var received = ByteBuffer()

    init(_ question: DNSClient.Question, longest: Int, _ answer: EventLoopPromise<DNSMessage.Answer>) {
        (self.question, self.longest, self.answer) = (question, longest, answer)
    }

    func channelActive(context: ChannelHandlerContext) {
        var buffer = ByteBuffer(integer: UInt16(question.query.count))
        buffer.writeBytes(question.query)
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.writeImmutableBuffer(unwrapInboundIn(data))
        guard let length = received.getInteger(at: received.readerIndex, as: UInt16.self) else { return }
        guard Int(length) <= longest else { return answer.fail(DNSMessage.Refusal.malformed) }
        guard let message = received.getBytes(at: received.readerIndex + 2, length: Int(length)) else { return }
        do throws(DNSMessage.Refusal) { answer.succeed(try question.answer(in: message)) } catch { answer.fail(error) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { answer.fail(error) }

    func handlerRemoved(context: ChannelHandlerContext) {
        answer.fail(DNSClient.Failure.noAnswer)
    }
}
