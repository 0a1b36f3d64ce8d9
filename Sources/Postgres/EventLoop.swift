/// Where everything that touches libpq runs: one thread that sleeps until a socket or a task needs it.
///
/// Being one thread and an actor's executor, it needs no lock around connections and pools, and a query costs
/// two hops: the calling task comes here, sends, and is resumed when the answer is complete. No thread of
/// Swift's pool ever waits for a socket. What blocks inside libpq (looking up a host, asking to cancel) goes to
/// `Blocking`.
@globalActor
actor EventLoop {
    static let shared = EventLoop()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        EventLoopThread.shared.asUnownedSerialExecutor()
    }

    /// Calls `action` from the thread itself, which runs outside of any task.
    static func assumeIsolated(_ action: @escaping @EventLoop () -> Void) {
        EventLoopThread.shared.checkIsolated()
        // The same as `MainActor.assumeIsolated`: the actor's isolation is no part of a function's representation.
        unsafeBitCast(action, to: (() -> Void).self)()
    }

    /// Calls `action` after a time, unless the timer is cancelled before.
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
