/// A value that one task waits for and that the loop provides once, before or after the task starts to wait.
///
/// A task may be suspended between a check of a condition and its continuation, for example under a task executor preference. An event in
/// between would find no continuation, and the task would wait permanently. So the value is stored here, and is checked again when the
/// continuation exists.
@EventLoop
final class Promise<Value: Sendable> {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case fulfilled(Value)
    }

    private var state = State.empty

    /// Provides the value. Later values are ignored.
    func fulfill(_ value: Value) {
        switch state {
        case .empty: state = .fulfilled(value)
        case .awaited(let continuation):
            state = .fulfilled(value)
            continuation.resume(returning: value)
        case .fulfilled: break
        }
    }

    /// Returns the value when it is provided. At most one task may wait.
    func wait() async -> Value {
        if case .fulfilled(let value) = state { return value }
        return await withCheckedContinuation { continuation in
            switch state {
            case .empty: state = .awaited(continuation)
            case .awaited: preconditionFailure("two tasks wait for one promise")
            case .fulfilled(let value): continuation.resume(returning: value)
            }
        }
    }
}

extension Promise where Value == Void {
    func fulfill() {
        fulfill(())
    }
}
