import Synchronization
import Testing

@testable import Billing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Export threads")
struct ExportThreadsTests {
    #if os(Linux)
    @Test("the text of exports has a lower priority than everything else, also after a suspension")
    func priority() async {
        let kind = __priority_which_t(PRIO_PROCESS.rawValue)
        // The task starts on a thread of Swift's pool.
        let before = getpriority(kind, 0)
        await withTaskExecutorPreference(ExportThreads.text) {
            #expect(getpriority(kind, 0) == max(before, 10))
            await Task.yield()
            #expect(getpriority(kind, 0) == max(before, 10))
        }
        await withTaskExecutorPreference(ExportThreads.steps) { #expect(getpriority(kind, 0) == before) }
    }
    #endif

    /// The jobs that run at the same time.
    private final class Running: Sendable {
        let jobs = Mutex((now: 0, most: 0, sum: 0 as UInt64))

        func work() {
            jobs.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.sum) }
            var sum: UInt64 = 0
            for number in 0..<100_000 as Range<UInt64> { sum = sum &* 31 &+ number }
            jobs.withLock { $0 = ($0.now - 1, $0.most, $0.sum &+ sum) }
        }
    }

    @Test("no more exports run at a time than there are threads")
    func limit() async {
        let (threads, running) = (ExportThreads(count: 1, niceness: nil), Running())
        await withTaskGroup { group in
            for _ in 1...20 { group.addTask(executorPreference: threads) { running.work() } }
        }
        #expect(running.jobs.withLock { $0.most } == 1)
    }
}
