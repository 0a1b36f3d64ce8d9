import Testing

@testable import Server

#if canImport(Glibc)
import Glibc

@Suite("Large blocks")
struct LargeBlocksTests {
    /// In a process of its own, because a large block may also come from memory that other tests have freed.
    @Test("a large block is apart from small ones, also after another one was freed")
    func separate() async {
        await #expect(processExitsWith: .success) {
            #expect(LargeBlocks.separate())
            free(malloc(1 << 20))
            let block = try #require(malloc(1 << 20))
            // The word before a block has its size. Its second bit says that the block is apart (glibc: IS_MMAPPED).
            #expect(block.load(fromByteOffset: -8, as: UInt.self) & 2 != 0)
            free(block)
        }
    }
}
#endif
