#if canImport(Glibc)
import Glibc
#endif

import Foundation
package import Logging

/// Sets Linux's scheduling policy SCHED_BATCH (sched(7)). A thread that wakes up then interrupts no running thread of the usual policy.
///
/// With the usual policy, the thread of the database driver and the event loops often interrupted each other on busy
/// processors, and the caches had to be filled again. Threads of other programs, such as PostgreSQL's, may still interrupt the server's. On
/// busy processors, a thread may wait some milliseconds until another one's turn ends. A free processor runs it at once.
package enum BatchScheduling {
    /// SCHED_BATCH of <sched.h>, which is not visible in Swift.
    package static let policy: Int32 = 3

    /// Sets the policy of all threads of this process. Threads that they start later inherit it. A thread with another policy than the usual
    /// one keeps it, because an administrator chose it. The server also runs if the system forbids the call with an error.
    package static func adopt(logger: Logger) {
        #if os(Linux)
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.compactMap { Int32($0) } ?? [0]
        var parameters = sched_param(sched_priority: 0)
        for thread in threads where sched_getscheduler(thread) == SCHED_OTHER {
            // A thread that has ended since then needs none.
            guard sched_setscheduler(thread, policy, &parameters) != 0, errno != ESRCH else { continue }
            let cause = String(cString: strerror(errno))
            logger.notice("the threads keep their scheduling policy", metadata: ["cause": "\(cause)"])
            return
        }
        #endif
    }
}
