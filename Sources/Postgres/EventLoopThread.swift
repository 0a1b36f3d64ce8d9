import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The thread of `EventLoop`. It runs the tasks and calls, and between them sleeps in `poll` on the watched sockets.
///
/// While it sleeps, another thread may make a short call itself (`callAtOnce`). So the isolation of the actor is a lock, which this thread
/// releases during its sleep. A statement is then sent without a switch of threads.
///
/// It uses `poll` instead of `epoll`. A process has a few dozen connections, for which both cost the same, and `poll`
/// exists on all systems.
///
/// Unchecked, because `inbox` is locked, the holder of `isolation` uses the rest, and only the thread uses its own copies of it.
final class EventLoopThread: SerialExecutor, @unchecked Sendable {
    static let shared = EventLoopThread()

    private enum Work {
        case job(UnownedJob)
        case call(@EventLoop () -> Void)
    }

    private struct Inbox {
        var work: [Work] = []
        /// Whether the thread is in `poll`, or about to be, and must be woken for work.
        var isAsleep = false
    }

    private let inbox = Mutex(Inbox())
    /// A byte written to the second descriptor ends the sleep on the first.
    private let wakeUp: (read: Int32, write: Int32)
    private let isolation = NSLock()
    /// The thread that holds `isolation`; 0 for none.
    private let holder = Atomic<UInt>(0)
    private var watches: [Watch] = []
    private var polled: [pollfd] = []
    /// Incremented with each change of `polled`.
    private var changes: UInt64 = 0
    private var timers: [EventLoop.Timer] = []
    /// No timer is due before this time. It may be too early after a timer was cancelled.
    private var nextDeadline: ContinuousClock.Instant?

    // The thread's own copies, for `poll` without the lock.
    private var asleep: [pollfd] = []
    private var changesBefore: UInt64 = 0
    private var timeout: Int32 = 0
    /// The number of sockets that `poll` reported.
    private var ready: Int32 = 0

    /// A socket and the function to call for its events.
    final class Watch {
        let socket: Int32
        fileprivate let action: @EventLoop () -> Void
        /// Whether to call the function when the other side has sent data or closed the connection.
        var wantsToRead = true { didSet { EventLoopThread.shared.update(self) } }
        /// Whether there is data to send that the socket had no room for.
        var wantsToWrite = false { didSet { EventLoopThread.shared.update(self) } }
        fileprivate var index = -1

        init(socket: Int32, action: @escaping @EventLoop () -> Void) {
            (self.socket, self.action) = (socket, action)
        }

        fileprivate var polled: pollfd {
            // `poll` skips a negative descriptor. Without requested events, it would still report a hang-up
            // permanently.
            let events = Int16(wantsToRead ? POLLIN : 0) | Int16(wantsToWrite ? POLLOUT : 0)
            return pollfd(fd: events == 0 ? -1 : socket, events: events, revents: 0)
        }
    }

    private init() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { fatalError("no pipe for the event loop: errno \(errno)") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeUp = (ends[0], ends[1])
        polled = [pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0)]
        Thread {
            // On Linux, only the thread itself can set the name that the system shows.
            Thread.current.name = "postgres"
            EventLoopThread.shared.run()
        }.start()
    }

    // MARK: Executor

    func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    /// Calls `action` on the thread. Calls and jobs run in their order.
    func call(_ action: @escaping @EventLoop () -> Void) {
        add(.call(action))
    }

    private func add(_ work: Work) {
        let mustWake = inbox.withLock { inbox in
            inbox.work.append(work)
            defer { inbox.isAsleep = false }
            return inbox.isAsleep
        }
        if mustWake { wake() }
    }

    private func wake() {
        var byte: UInt8 = 1
        // A full pipe also wakes the thread.
        _ = write(wakeUp.write, &byte, 1)
    }

    /// Calls `action` on the current thread if the loop's thread sleeps. Otherwise, it returns false at once.
    /// - Returns: The value of `action`.
    func callAtOnce(_ action: @EventLoop () -> Bool) -> Bool {
        guard isolation.try() else { return false }
        holder.store(Self.current, ordering: .relaxed)
        let (changesBefore, deadlineBefore) = (changes, nextDeadline)
        let result = EventLoop.assumeIsolated(action)
        // The thread sleeps with the former sockets and until the former deadline.
        let mustWake = changes != changesBefore || nextDeadline != deadlineBefore
        holder.store(0, ordering: .relaxed)
        isolation.unlock()
        // After the unlock, because the woken thread needs the lock.
        if mustWake { wake() }
        return result
    }

    /// Only the holder of the lock can find itself.
    func checkIsolated() {
        precondition(holder.load(ordering: .relaxed) == Self.current, "not isolated to the event loop")
    }

    private static var current: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }

    // MARK: Watches and timers

    func add(_ watch: Watch) {
        changes += 1
        watches.append(watch)
        watch.index = watches.count - 1
        polled.append(watch.polled)
    }

    func remove(_ watch: Watch) {
        guard watch.index >= 0 else { return }
        changes += 1
        let last = watches.removeLast()
        let lastPolled = polled.removeLast()
        if last !== watch {
            watches[watch.index] = last
            polled[watch.index + 1] = lastPolled
            last.index = watch.index
        }
        watch.index = -1
    }

    fileprivate func update(_ watch: Watch) {
        guard watch.index >= 0 else { return }
        changes += 1
        polled[watch.index + 1] = watch.polled
    }

    func add(_ timer: EventLoop.Timer) {
        timers.append(timer)
        nextDeadline = min(nextDeadline ?? timer.deadline, timer.deadline)
    }

    func remove(_ timer: EventLoop.Timer) {
        timers.removeAll { $0 === timer }
    }

    // MARK: The loop

    private func run() {
        var work: [Work] = []
        var concerned: [Watch] = []
        while true {
            isolation.lock()
            holder.store(Self.current, ordering: .relaxed)
            callWatches(&concerned)
            // A task often continues with another job of the loop. Without this, a `poll` would come before each job. The time is limited,
            // so that tasks that never wait cannot keep the sockets waiting.
            let end = ContinuousClock.now + .milliseconds(1)
            while runWork(&work), ContinuousClock.now < end {}
            fireTimers()
            prepareToSleep()
            holder.store(0, ordering: .relaxed)
            isolation.unlock()
            sleep()
        }
    }

    /// Calls the functions of the sockets that are ready.
    private func callWatches(_ concerned: inout [Watch]) {
        // Another thread may have changed the watches. Then the next `poll` reports the events again.
        guard ready > 0, changes == changesBefore else { return }
        // A copy, because a function may open and close other connections.
        for watch in watches where asleep[watch.index + 1].revents != 0 { concerned.append(watch) }
        for watch in concerned where watch.index >= 0 { EventLoop.assumeIsolated(watch.action) }
        concerned.removeAll(keepingCapacity: true)
    }

    /// - Returns: Whether there was work.
    private func runWork(_ work: inout [Work]) -> Bool {
        inbox.withLock { swap(&$0.work, &work) }
        guard !work.isEmpty else { return false }
        for item in work {
            switch item {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .call(let action): EventLoop.assumeIsolated(action)
            }
        }
        work.removeAll(keepingCapacity: true)
        return true
    }

    private func prepareToSleep() {
        asleep.removeAll(keepingCapacity: true)
        asleep.append(contentsOf: polled)
        (changesBefore, timeout) = (changes, millisecondsToNextTimer())
    }

    /// Waits for sockets, the next timer or work. It does not wait if there is work already.
    private func sleep() {
        let mayWait = inbox.withLock { inbox in
            inbox.isAsleep = inbox.work.isEmpty
            return inbox.isAsleep
        }
        ready = poll(&asleep, nfds_t(asleep.count), mayWait ? timeout : 0)
        inbox.withLock { $0.isAsleep = false }
        guard ready > 0, asleep[0].revents != 0 else { return }
        ready -= 1
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = read(wakeUp.read, &bytes, MemoryLayout.size(ofValue: bytes))
    }

    private func millisecondsToNextTimer() -> Int32 {
        guard let nextDeadline else { return -1 }
        let left = max(.zero, nextDeadline - .now)
        // Rounded up, because an early wake-up would spin until the time has come.
        return Int32(min(left / .milliseconds(1), 60_000).rounded(.up))
    }

    private func fireTimers() {
        guard let nextDeadline, nextDeadline <= .now else { return }
        let now = ContinuousClock.now
        let due = timers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
        timers.removeAll { $0.deadline <= now }
        self.nextDeadline = timers.lazy.map(\.deadline).min()
        for timer in due { EventLoop.assumeIsolated(timer.action) }
    }
}
