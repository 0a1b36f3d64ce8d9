import Synchronization

/// A value that tasks can wait for, instead of a wait for a time.
final class Gate<Value: Sendable>: Sendable {
    private struct Waiter {
        let condition: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value, Never>
    }

    private let state: Mutex<(value: Value, waiters: [Waiter])>

    init(_ value: Value) {
        state = Mutex((value, []))
    }

    func set(_ change: (inout Value) -> Void) {
        let (value, ready) = state.withLock { state in
            change(&state.value)
            let value = state.value
            let ready = state.waiters.filter { $0.condition(value) }
            state.waiters.removeAll { $0.condition(value) }
            return (value, ready)
        }
        for waiter in ready { waiter.continuation.resume(returning: value) }
    }

    @discardableResult
    func wait(until condition: @escaping @Sendable (Value) -> Bool) async -> Value {
        await withCheckedContinuation { continuation in
            let met = state.withLock { state -> Value? in
                guard !condition(state.value) else { return state.value }
                state.waiters.append(Waiter(condition: condition, continuation: continuation))
                return nil
            }
            if let met { continuation.resume(returning: met) }
        }
    }
}
