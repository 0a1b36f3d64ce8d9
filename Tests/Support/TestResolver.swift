import NIOCore
import NIOPosix
import Synchronization

/// A DNS resolver on 127.0.0.1, by UDP and TCP. It writes messages with code that the server does not share.
package final class TestResolver: Sendable {
    /// How it responds to a question by UDP.
    package enum Manner: Sendable {
        case answer
        /// It first sends responses with another ID, another question and no question, then the right one.
        case answerAfterForgeries
        /// Only TCP has the answer.
        case truncate
        /// SERVFAIL.
        case fail
        case silence
    }

    private struct State {
        var texts: [String: [String]] = [:]
        var addresses: [String: [UInt8]] = [:]
        var aliases: [String: String] = [:]
        var manner = Manner.answer
        var asked: [String] = []
        var datagrams = 0
    }

    private let state = Mutex(State())
    package let port: Int
    private let channels: [any Channel]

    /// The value of `ESPALIER_DNS_RESOLVER`.
    package var setting: String { "127.0.0.1:\(port)" }
    /// The names of all questions.
    package var asked: [String] { state.withLock { $0.asked } }

    /// How many questions came by UDP, with repetitions.
    package var datagrams: Int { state.withLock { $0.datagrams } }

    package func publish(_ texts: String..., at name: String) { state.withLock { $0.texts[name] = texts } }
    package func remove(_ name: String) { state.withLock { $0.texts[name] = nil } }
    package func set(address: [UInt8], of name: String) { state.withLock { $0.addresses[name] = address } }
    package func set(alias: String, of name: String) { state.withLock { $0.aliases[name] = alias } }
    package func respond(_ manner: Manner) { state.withLock { $0.manner = manner } }

    private init(port: Int, channels: [any Channel]) { (self.port, self.channels) = (port, channels) }

    package static func run<T>(_ body: (TestResolver) async throws -> T) async throws -> T {
        let group = MultiThreadedEventLoopGroup.singleton
        let box = Box()
        var channels: [any Channel] = []
        for remaining in (0..<20).reversed() where channels.isEmpty {
            let datagrams = try await DatagramBootstrap(group: group).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Datagrams(box)) }
            }.bind(host: "127.0.0.1", port: 0).get()
            do {
                let streams = try await ServerBootstrap(group: group).childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Streams(box)) }
                }.bind(host: "127.0.0.1", port: datagrams.localAddress!.port!).get()
                channels = [datagrams, streams]
            } catch {
                // Another test may use the port for TCP.
                try? await datagrams.close()
                if remaining == 0 { throw error }
            }
        }
        let resolver = TestResolver(port: channels[0].localAddress!.port!, channels: channels)
        box.resolver.withLock { $0 = resolver }
        let result: Result<T, any Error>
        do { result = .success(try await body(resolver)) } catch { result = .failure(error) }
        for channel in resolver.channels { try? await channel.close() }
        return try result.get()
    }

    // MARK: Messages

    /// The responses to a question by UDP.
    fileprivate func datagrams(to query: [UInt8]) -> [[UInt8]] {
        let manner = state.withLock { state in
            state.datagrams += 1
            return state.manner
        }
        switch manner {
        case .answer: return [message(query)]
        case .truncate: return [Array(message(query, flags: [0x83, 0x80], isEmpty: true))]
        case .fail: return [message(query, flags: [0x81, 0x82], isEmpty: true)]
        case .silence: return []
        case .answerAfterForgeries:
            let right = message(query)
            var (otherID, otherName) = (right, right)
            otherID[0] ^= 0xFF
            otherName[13] ^= 0x01
            return [otherID, otherName, [], Array(right.prefix(12)), right]
        }
    }

    fileprivate func message(_ query: [UInt8], flags: [UInt8] = [0x81, 0x80], isEmpty: Bool = false) -> [UInt8] {
        var (labels, place): ([String], Int) = ([], 12)
        while place < query.count, query[place] > 0 {
            let length = Int(query[place])
            labels.append(String(decoding: query[(place + 1)...(place + length)], as: UTF8.self))
            place += 1 + length
        }
        let question = Array(query[12..<(place + 5)])
        let type = query[place + 2]
        let asked = labels.joined(separator: ".").lowercased()
        var (name, records): (String, [[UInt8]]) = (asked, [])
        state.withLock { state in
            state.asked.append(asked)
            if let alias = state.aliases[asked] {
                records.append(Self.record([0xC0, 12], 5, Self.encoded(alias)))
                name = alias
            }
            let owner = name == asked ? [0xC0, 12] : Self.encoded(name)
            if type == 16 {
                for text in state.texts[name] ?? [] { records.append(Self.record(owner, 16, Self.strings(Array(text.utf8)))) }
            } else if type == 1, let address = state.addresses[name] {
                records.append(Self.record(owner, 1, address))
            }
        }
        if isEmpty { records = [] }
        return Array(query[0..<2]) + flags + [0, 1, 0, UInt8(records.count), 0, 0, 0, 0] + question + records.flatMap(\.self)
    }

    private static func record(_ owner: [UInt8], _ type: UInt8, _ data: [UInt8]) -> [UInt8] {
        owner + [0, type, 0, 1, 0, 0, 0, 60, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
    }

    private static func encoded(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private static func strings(_ text: [UInt8]) -> [UInt8] {
        stride(from: 0, to: max(1, text.count), by: 200).flatMap { start in
            let part = text[start..<min(start + 200, text.count)]
            return [UInt8(part.count)] + part
        }
    }

    fileprivate final class Box: Sendable {
        let resolver = Mutex<TestResolver?>(nil)
    }
}

private final class Datagrams: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>
    private let box: TestResolver.Box

    init(_ box: TestResolver.Box) { self.box = box }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        for answer in box.resolver.withLock({ $0 })?.datagrams(to: Array(envelope.data.readableBytesView)) ?? [] {
            context.writeAndFlush(
                wrapOutboundOut(.init(remoteAddress: envelope.remoteAddress, data: ByteBuffer(bytes: answer))), promise: nil)
        }
    }
}

private final class Streams: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let box: TestResolver.Box

    init(_ box: TestResolver.Box) { self.box = box }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let query = Array(unwrapInboundIn(data).readableBytesView.dropFirst(2))
        guard let answer = box.resolver.withLock({ $0 })?.message(query) else { return }
        var buffer = ByteBuffer(integer: UInt16(answer.count))
        buffer.writeBytes(answer)
        // In two parts, as a network may deliver it.
        context.writeAndFlush(wrapOutboundOut(buffer.readSlice(length: 1)!), promise: nil)
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }
}
