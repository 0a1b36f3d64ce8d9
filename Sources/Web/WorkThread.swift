import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread of its own for work that takes milliseconds, such as a picture. It can also be several threads with one queue.
///
/// Actions run on the threads of event loops, where such work delays all connections of the loop. The threads have a low priority on Linux,
/// and their queue is bounded. So callers cannot use up a processor or the memory with it.
package final class WorkThread: Sendable {
    /// The queue is full. The work was not started.
    package struct Full: Error {}

    private let thread: NIOThreadPool
    /// The maximum number of jobs that run or wait.
    private let mostJobs: Int
    /// The number of jobs that run or wait.
    private let jobs = Mutex(0)

    /// - Parameter count: The number of threads. Each runs one job at a time.
    package init(count: Int = 1, mostWaiting: Int = 16) {
        mostJobs = count + mostWaiting
        thread = NIOThreadPool(numberOfThreads: count)
        thread.start()
    }

    deinit {
        // A started pool must be stopped.
        thread.shutdownGracefully { _ in }
    }

    /// Runs the work on the thread. It must not wait, and must not hold a lock that logins need.
    /// - Throws: `Full`, and the errors of the work.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        let hasPlace = jobs.withLock { jobs in
            guard jobs < mostJobs else { return false }
            jobs += 1
            return true
        }
        guard hasPlace else { throw Full() }
        defer { jobs.withLock { $0 -= 1 } }
        // An event loop continues the caller's task. If this thread did it, Swift's pool could start a thread with the same low priority.
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        return try await thread.runIfActive(eventLoop: loop) {
            CurrentThread.lowerPriority(to: 10)
            return try work()
        }.get()
    }
}

package enum CurrentThread {
    /// Lowers the priority of this thread on Linux. Elsewhere, a thread has no niceness of its own.
    /// - Parameter niceness: 0 is usual, 19 is the lowest priority (setpriority(2)).
    package static func lowerPriority(to niceness: Int32) {
        #if os(Linux)
        // 0 is the current thread. A process that was started with a lower priority keeps it.
        let kind = __priority_which_t(PRIO_PROCESS.rawValue)
        if getpriority(kind, 0) < niceness { setpriority(kind, 0, niceness) }
        #endif
    }
}
