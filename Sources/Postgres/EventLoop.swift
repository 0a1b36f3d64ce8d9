/// The actor for all use of libpq: one thread that sleeps until a socket or a task needs it.
///
/// It is one thread and an actor's executor, so sessions and pools need no locks. A query costs two hops: the
/// calling task comes here, sends, and resumes when the answer is complete. No thread of Swift's pool ever waits for
/// a socket. Blocking calls of libpq (host look-up, cancel requests) run in `Blocking`.
@globalActor
actor EventLoop {
    static let shared = EventLoop()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        EventLoopThread.shared.asUnownedSerialExecutor()
    }

    /// Calls `action` on the thread itself, outside of any task.
    static func assumeIsolated(_ action: @escaping @EventLoop () -> Void) {
        EventLoopThread.shared.checkIsolated()
        // The same method as in `MainActor.assumeIsolated`: the actor's isolation is not part of a function's
        // representation.
        unsafeBitCast(action, to: (() -> Void).self)()
    }

    /// Calls `action` after a delay, unless the timer is cancelled first.
    @EventLoop
    static func after(_ delay: Duration, _ action: @escaping @EventLoop () -> Void) -> Timer {
        let timer = Timer(deadline: .now + delay, action: action)
        EventLoopThread.shared.add(timer)
        return timer
    }

    final class Timer: Sendable {
        let deadline: ContinuousClock.Instant
        let action: @EventLoop () -> Void

        fileprivate init(deadline: ContinuousClock.Instant, action: @escaping @EventLoop () -> Void) {
            (self.deadline, self.action) = (deadline, action)
        }

        @EventLoop
        func cancel() {
            EventLoopThread.shared.remove(self)
        }
    }
}
