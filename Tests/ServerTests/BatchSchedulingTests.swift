import Foundation
import TestSupport
import Testing
import Web

#if canImport(Glibc)
import Glibc

@Suite("Batch scheduling")
struct BatchSchedulingTests {
    @Test("all threads of a server have the policy SCHED_BATCH")
    func policy() async throws {
        let platform = try await ServedPlatform.make()
        let place = ServedPlatform.Place()
        let server = try await platform.serve(at: place)
        // Starts the threads that requests need.
        _ = try await place.browser.tokens(.init(platform.acme))
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.id)/task").compactMap { Int32($0) }
        #expect(threads.count > 2)
        // A thread that has ended since then has none.
        #expect(Set(threads.map { sched_getscheduler($0) }).subtracting([-1]) == [BatchScheduling.policy])
    }
}
#endif
