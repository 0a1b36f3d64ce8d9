import CMalloc

/// Keeps large blocks of memory apart from small ones, so that a large one leaves no gap.
///
/// glibc's allocator gets a block of at least 128 KiB from the system, and gives it back when it is freed. But after the first such block,
/// it raises this limit to the block's size, up to 32 MiB (mallopt(3), M_MMAP_THRESHOLD). Later blocks are then between small ones. The table
/// of the callback's tries is replaced by a new one of up to 2.6 MB again and again. Small blocks then lived in the gaps, and a server grew by
/// 9 MB in 110,000 logins.
enum LargeBlocks {
    /// The size of a large block in bytes.
    static let size = 256 * 1024

    /// Fixes the limit.
    /// - Returns: Whether the allocator accepted it. Other allocators than glibc's have no such limit.
    @discardableResult
    static func separate() -> Bool {
        #if canImport(Glibc)
        mallopt(M_MMAP_THRESHOLD, Int32(size)) == 1
        #else
        false
        #endif
    }
}
