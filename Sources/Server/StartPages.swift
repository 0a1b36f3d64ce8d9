#if canImport(Glibc)
import Glibc
#endif

import Foundation
import ServiceLifecycle

/// Returns the pages of the program that only its start needed.
///
/// The start runs through most of the program once: settings, migrations, the look-up of types. Linux maps 16 pages for each one that is
/// used, and leaves them mapped. After the return, the process has only the pages that requests use. They are mapped again one by one, from
/// the page cache, without a read from the disk.
struct StartPages: Service {
    /// Long enough for the first requests and the first passes, which use parts of the program for the first time.
    private static let delay = Duration.seconds(60)

    func run() async throws {
        // Ends early if the server stops.
        try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.delay) }
        guard !Task.isShuttingDownGracefully, !Task.isCancelled else { return }
        Self.release()
        try? await gracefulShutdown()
    }

    /// Unmaps the code of the program until its next use. Code is never written, so nothing is lost.
    /// - Returns: The number of bytes of code.
    @discardableResult
    static func release() -> Int {
        #if os(Linux)
        guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8),
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        else { return 0 }
        var released = 0
        for line in maps.split(separator: "\n") {
            // For example `5642fc2e2000-5642ff6ba000 r-xp 00000000 fe:00 5361484 /usr/bin/espalier`.
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count == 6, fields[1] == "r-xp", fields[5].drop(while: { $0 == " " }) == program else { continue }
            let range = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard range.count == 2, let start = UnsafeMutableRawPointer(bitPattern: range[0]) else { continue }
            if madvise(start, Int(range[1] - range[0]), MADV_DONTNEED) == 0 { released += Int(range[1] - range[0]) }
        }
        return released
        #else
        return 0
        #endif
    }
}
