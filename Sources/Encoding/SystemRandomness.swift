import Foundation
import Synchronization

/// Random bytes from the operating system, fetched in blocks.
///
/// `SystemRandomNumberGenerator` makes a system call per number. A login needs about 30 numbers. Here a call to the system fetches 32 of
/// them. Each is handed out once and erased in the block at the same time, so that a later memory disclosure does not reveal it. The bytes
/// are as good as the system's own, and suit secrets, nonces and IDs.
///
/// All threads share one block. The process must not fork, because both processes would then hand out the same bytes.
package struct SystemRandomness: RandomNumberGenerator, Sendable {
    /// The most that `getentropy` returns in one call (POSIX.1-2024).
    private static let wordsPerBlock = 256 / MemoryLayout<UInt64>.size

    private struct Block {
        var words = [UInt64](repeating: 0, count: wordsPerBlock)
        var left = 0
    }

    private static let block = Mutex(Block())

    package init() {}

    package func next() -> UInt64 {
        Self.block.withLock { block in
            if block.left == 0 {
                let failed = block.words.withUnsafeMutableBytes { getentropy($0.baseAddress!, $0.count) }
                guard failed == 0 else { fatalError("the operating system has no random bytes") }
                block.left = Self.wordsPerBlock
            }
            block.left -= 1
            defer { block.words[block.left] = 0 }
            return block.words[block.left]
        }
    }
}
