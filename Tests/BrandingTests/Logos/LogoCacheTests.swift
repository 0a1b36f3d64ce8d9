import NIOCore
import Synchronization
import Testing

@testable import Branding

@Suite("Logo cache")
struct LogoCacheTests {
    private final class Reads: Sendable {
        let count = Mutex(0)
    }

    private struct Failure: Error {}

    private static let image = LogoCache.Image(mediaType: .png, bytes: ByteBuffer(bytes: [1, 2, 3]))

    @Test("callers that miss the same path at the same time wait for one read")
    func oneRead() async throws {
        let (cache, reads, gate) = (LogoCache(), Reads(), AsyncStream<Void>.makeStream())
        try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
            for _ in 1...20 {
                group.addTask {
                    try await cache.find("/a") {
                        reads.count.withLock { $0 += 1 }
                        for await _ in gate.stream {}
                        return Self.image
                    }?.bytes
                }
            }
            try await Task.sleep(for: .milliseconds(50))
            gate.continuation.finish()
            for try await bytes in group { #expect(bytes == Self.image.bytes) }
        }
        #expect(reads.count.withLock { $0 } == 1)
        // It is kept.
        _ = try await cache.find("/a") { throw Failure() }
    }

    @Test("a failed read and a missing image are not kept")
    func failures() async throws {
        let cache = LogoCache()
        await #expect(throws: Failure.self) { try await cache.find("/a") { throw Failure() } }
        #expect(try await cache.find("/a") { nil }?.bytes == nil)
        #expect(try await cache.find("/a") { Self.image }?.bytes == Self.image.bytes)
    }
}
