import Dispatch
import Testing
import Web

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Work thread")
struct WorkThreadTests {
    private struct Failure: Error {}

    @Test("the result and the error of the work reach the caller")
    func results() async throws {
        let thread = WorkThread()
        #expect(try await thread.run { 7 } == 7)
        await #expect(throws: Failure.self) { try await thread.run { throw Failure() } }
        // A failed job leaves its place.
        let small = WorkThread(mostWaiting: 0)
        for _ in 1...3 { await #expect(throws: Failure.self) { try await small.run { throw Failure() } } }
    }

    #if os(Linux)
    @Test("the work has a lower priority, and the caller continues with its own")
    func priority() async throws {
        let kind = __priority_which_t(PRIO_PROCESS.rawValue)
        let before = getpriority(kind, 0)
        #expect(try await WorkThread().run { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) } == max(before, 10))
        #expect(getpriority(kind, 0) == before)
    }
    #endif

    @Test("a full queue refuses work at once, and takes work again afterwards")
    func bound() async throws {
        let thread = WorkThread(mostWaiting: 1)
        let (started, release) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        async let running: Void = thread.run {
            started.continuation.finish()
            release.wait()
        }
        for await _ in started.stream {}
        await withTaskGroup { group in
            for _ in 1...3 {
                group.addTask {
                    do {
                        try await thread.run {}
                        return true
                    } catch { return false }
                }
            }
            // One waits, so the first results are those of the two others.
            #expect(await group.next() == false)
            #expect(await group.next() == false)
            release.signal()
            #expect(await group.next() == true)
        }
        try await running
        try await thread.run {}
    }

    @Test("several threads run as many jobs at the same time, and no more", .timeLimit(.minutes(1)))
    func count() async throws {
        let threads = WorkThread(count: 2, mostWaiting: 0)
        let (started, release) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        try await withThrowingTaskGroup { group in
            for _ in 1...2 {
                group.addTask {
                    try await threads.run {
                        started.continuation.yield()
                        release.wait()
                    }
                }
            }
            // With one thread, the second job would never start.
            var starts = started.stream.makeAsyncIterator()
            for _ in 1...2 { _ = await starts.next() }
            await #expect(throws: WorkThread.Full.self) { try await threads.run {} }
            for _ in 1...2 { release.signal() }
            try await group.waitForAll()
        }
        try await threads.run {}
    }
}
