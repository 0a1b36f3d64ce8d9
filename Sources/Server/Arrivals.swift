import Synchronization

/// Calls a closure once, when the expected number of callers has arrived.
package final class Arrivals: Sendable {
    private let missing: Mutex<Int>
    private let whenComplete: @Sendable () -> Void

    package init(expecting count: Int, whenComplete: @escaping @Sendable () -> Void) {
        missing = Mutex(count)
        self.whenComplete = whenComplete
    }

    package func arrive() {
        let isComplete = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isComplete { whenComplete() }
    }
}
