import HTTPTypes
import HummingbirdCore
import NIOCore

/// Writes a response to its connection. A body that is in memory leaves together with the head.
struct ResponseBytes: ResponseBodyWriter {
    private let conversation: NIOLoopBound<Conversation>
    private let loop: any EventLoop
    private let head: ResponsePart.Head
    private var isHeadWritten = false
    /// The whole body, until it is finished.
    private var whole: ByteBuffer?

    init(_ head: HTTPResponse, to taken: Conversation.Taken, in conversation: NIOLoopBound<Conversation>, on loop: any EventLoop) {
        (self.conversation, self.loop) = (conversation, loop)
        self.head = ResponsePart.Head(head, toHead: taken.request.method == .head, isOld: taken.isOld)
    }

    /// Sends the head of a stream. Its first bytes may take long, and the caller must not wait for the status.
    mutating func begin() async throws {
        if head.framing == .chunked || head.framing == .close { try await writeHead() }
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        if !isHeadWritten {
            if whole == nil, head.fields.headerFields[.contentLength] == String(buffer.readableBytes) {
                whole = buffer
                return
            }
            try await writeHead()
        }
        try await send(.body(buffer))
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await send(isHeadWritten ? .end(trailingHeaders ?? [:]) : .whole(head, whole ?? ByteBuffer()))
    }

    private mutating func writeHead() async throws {
        try await send(.head(head))
        isHeadWritten = true
        if let whole = whole.take() { try await send(.body(whole)) }
    }

    /// Writes a part, and waits until there is room for the next one.
    private func send(_ part: ResponsePart) async throws {
        guard !loop.inEventLoop else {
            conversation.value.write(part)
            return try await conversation.value.room()
        }
        // The code that makes a body may have an executor of its own.
        try await withTaskExecutorPreference(LoopExecutor(loop)) {
            conversation.value.write(part)
            try await conversation.value.room()
        }
    }
}
