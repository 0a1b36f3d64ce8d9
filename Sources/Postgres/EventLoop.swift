/// The actor for all use of libpq: one thread that sleeps until a socket or a task needs it.
///
/// It is an actor's executor, so sessions and pools need no locks. A batch costs one suspension: the calling thread sends it, or leaves it to
/// the loop, and the loop resumes the task when the answer is complete (`Submission`). No thread of Swift's pool ever waits for a socket.
/// Blocking calls of libpq (host look-up, cancel requests) run in `Blocking`.
@globalActor
actor EventLoop {
    static let shared = EventLoop()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        EventLoopThread.shared.asUnownedSerialExecutor()
    }

    /// Calls `action` on the current thread, outside of any task of the actor.
    static func assumeIsolated<R>(_ action: @EventLoop () -> R) -> R {
        EventLoopThread.shared.checkIsolated()
        // The same method as in `MainActor.assumeIsolated`: the actor's isolation is not part of a function's
        // representation.
        return withoutActuallyEscaping(action) { unsafeBitCast($0, to: (() -> R).self)() }
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
