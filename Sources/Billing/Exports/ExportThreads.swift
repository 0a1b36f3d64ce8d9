import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Threads of their own for the text of exports, as many as half of the processors, and with a low priority on Linux.
///
/// On the threads of Swift's pool, exports could use all processors, and logins would wait for one. On a busy processor, the operating
/// system gives such a thread about a tenth of the time of another thread. No job may hold a lock for long that logins need. A thread that
/// a job starts has the same priority.
final class ExportThreads: TaskExecutor {
    static let shared = ExportThreads(count: max(1, System.coreCount / 2))
    /// The niceness; 0 is usual, 19 is the lowest priority (setpriority(2)).
    static let niceness: Int32 = 10

    private let threads: NIOThreadPool

    init(count: Int) {
        threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
    }

    deinit {
        // A started pool must be stopped. `shared` never ends.
        threads.shutdownGracefully { _ in }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        threads.submit { _ in
            Self.lowerPriority()
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }

    /// Elsewhere than on Linux, a thread has no niceness of its own.
    private static func lowerPriority() {
        #if os(Linux)
        // 0 is the current thread. A process that was started with a lower priority keeps it.
        let kind = __priority_which_t(PRIO_PROCESS.rawValue)
        if getpriority(kind, 0) < niceness { setpriority(kind, 0, niceness) }
        #endif
    }
}
