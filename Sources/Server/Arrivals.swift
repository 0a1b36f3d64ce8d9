import Synchronization

/// Calls a closure once, when all who are expected have arrived.
final class Arrivals: Sendable {
    private let missing: Mutex<Int>
    private let whenComplete: @Sendable () -> Void

    init(expecting count: Int, whenComplete: @escaping @Sendable () -> Void) {
        missing = Mutex(count)
        self.whenComplete = whenComplete
    }

    func arrive() {
        let isComplete = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isComplete { whenComplete() }
    }
}
