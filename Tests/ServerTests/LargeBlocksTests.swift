import Testing

@testable import Server

#if canImport(Glibc)
@Suite("Large blocks")
struct LargeBlocksTests {
    @Test("glibc's allocator accepts the limit")
    func separate() {
        #expect(LargeBlocks.separate())
    }
}
#endif
