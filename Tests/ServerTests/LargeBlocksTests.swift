import Testing

@testable import Server

#if canImport(Glibc)
import Glibc

@Suite("Large blocks")
struct LargeBlocksTests {
    @Test("a large block is apart from small ones, also after another one was freed")
    func separate() throws {
        LargeBlocks.separate()
        free(malloc(1 << 20))
        let block = try #require(malloc(1 << 20))
        defer { free(block) }
        // The word before a block has its size. Its second bit says that the block is apart (glibc: IS_MMAPPED).
        #expect(block.load(fromByteOffset: -8, as: UInt.self) & 2 != 0)
    }
}
#endif
