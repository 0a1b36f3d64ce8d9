import NIOCore
import NIOPosix
import Web

/// Threads of their own for exports, as many of each kind as half of the processors.
///
/// On the threads of Swift's pool, exports could use all processors, and logins would wait for one.
final class ExportThreads: TaskExecutor {
    /// For the text of exports, which takes most of the time, with a low priority on Linux. On a busy processor, the operating system gives
    /// such a thread about a tenth of the time of another thread. So a job here must not wait, and must not hold a lock that logins
    /// need, such as the driver's. It must not start or continue a task of Swift's pool either: the pool may start a thread for it, with the same low priority.
    static let text = ExportThreads(count: count, niceness: 10)
    /// For the rest of an export, with the usual priority. On a busy machine, a thread of the other kind may stop for long, and a page that it
    /// reads would keep its connection.
    static let steps = ExportThreads(count: count, niceness: nil)
    private static let count = max(1, System.coreCount / 2)

    private let threads: NIOThreadPool
    /// 0 is usual, 19 is the lowest priority (setpriority(2)). Nil for that of the process.
    private let niceness: Int32?

    init(count: Int, niceness: Int32?) {
        self.niceness = niceness
        threads = NIOThreadPool(numberOfThreads: count)
        threads.start()
    }

    deinit {
        // A started pool must be stopped. `text` and `steps` never end.
        threads.shutdownGracefully { _ in }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        threads.submit { _ in
            if let niceness = self.niceness { CurrentThread.lowerPriority(to: niceness) }
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
