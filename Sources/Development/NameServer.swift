import Foundation
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// A DNS server on loopback for the proofs of domains (RFC 1035). It answers questions for TXT records from a file, and refuses all others,
/// so that the resolvers of the system get them.
///
/// Each line of the file is a name, a blank and a value. The file is read for each question, and may be missing.
final class NameServer: Service {
    private let address = Mutex<(any Channel)?>(nil)

    private init() {}

    /// Listens on a free port.
    static func start(records file: URL) async throws -> NameServer {
        let server = NameServer()
        let listener = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Questions(records: file)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.address.withLock { $0 = listener }
        return server
    }

    var port: Int { address.withLock { $0?.localAddress?.port } ?? 0 }

    func run() async throws {
        try? await gracefulShutdown()
        try await address.withLock { $0 }?.close()
    }

    // MARK: Messages

    /// The response to a question. Nil for every other message.
    static func response(to query: [UInt8], records: [UInt8]) -> [UInt8]? {
        // A standard query with one question (section 4.1.1).
        guard query.count > 12, query[2] & 0xF8 == 0, query[4...5].elementsEqual([0, 1]), let question = Question(query) else { return nil }
        let texts = question.isForText ? Self.texts(of: question.name, in: records) : []
        let answers = texts.flatMap { text in
            let data = stride(from: 0, to: max(1, text.count), by: 255).flatMap { start in
                let part = text[start..<min(start + 255, text.count)]
                return [UInt8(part.count)] + part
            }
            // The name is a pointer to the one of the question (section 4.1.4). Nobody stores the record.
            return [0xC0, 0x0C, 0, 16, 0, 1, 0, 0, 0, 0] + word(data.count) + data
        }
        // A response, with recursion if asked for, and 5 (refused) without a record.
        return Array(query[..<2]) + [0x80 | query[2] & 0x01, texts.isEmpty ? 0x85 : 0x80, 0, 1] + word(texts.count) + [0, 0, 0, 0]
            + question.bytes + answers
    }

    /// The values of a name, in the order of the file. There are at most 20, of up to 1000 bytes each.
    private static func texts(of name: [UInt8], in records: [UInt8]) -> [[UInt8]] {
        let found = records.split(separator: UInt8(ascii: "\n")).compactMap { line -> [UInt8]? in
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard let blank = line.firstIndex(of: UInt8(ascii: " ")), line[..<blank].map(lower) == name else { return nil }
            return Array(line[blank...].drop { $0 == UInt8(ascii: " ") }.prefix(1000))
        }
        return Array(found.prefix(20))
    }

    private static func word(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private struct Question {
        /// In lower case, with dots between the labels.
        let name: [UInt8]
        let isForText: Bool
        let bytes: [UInt8]

        init?(_ query: [UInt8]) {
            var (labels, place): ([[UInt8]], Int) = ([], 12)
            while place < query.count, query[place] > 0 {
                let length = Int(query[place])
                guard length < 64, place + 1 + length < query.count else { return nil }
                labels.append(query[place + 1...place + length].map(NameServer.lower))
                place += 1 + length
            }
            guard place + 5 <= query.count, place < 12 + 255 else { return nil }
            name = Array(labels.joined(separator: [UInt8(ascii: ".")]))
            isForText = query[place + 1..<place + 5].elementsEqual([0, 16, 0, 1])
            bytes = Array(query[12..<place + 5])
        }
    }
}

private final class Questions: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private let records: URL

    init(records: URL) { self.records = records }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let question = unwrapInboundIn(data)
        let file = (try? Data(contentsOf: records)) ?? Data()
        guard let response = NameServer.response(to: Array(question.data.readableBytesView), records: Array(file)) else { return }
        context.writeAndFlush(
            wrapOutboundOut(AddressedEnvelope(remoteAddress: question.remoteAddress, data: ByteBuffer(bytes: response))), promise: nil)
    }
}
