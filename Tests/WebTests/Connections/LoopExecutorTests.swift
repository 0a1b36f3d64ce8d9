import Hummingbird
import NIOCore
import Testing

@Suite("Loop executor")
struct LoopExecutorTests {
    @Test("a request runs on the event loop of its connection, also after it was suspended")
    func loop() async throws {
        try await Served.run { _, context in
            var places = [context.loop.inEventLoop]
            await Task.detached {}.value
            places.append(context.loop.inEventLoop)
            async let child = context.loop.inEventLoop
            places.append(await child)
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(string: "\(places)")))
        } _: { served in
            // Several connections, so that more than one loop has one.
            for _ in 1...4 {
                let answer = try await served.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                #expect(answer.hasSuffix("[true, true, true]"))
            }
        }
    }
}
