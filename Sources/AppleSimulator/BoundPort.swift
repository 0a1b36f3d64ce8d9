import Synchronization

/// A port that becomes known later; nil if it never does. Only the first value counts.
final class BoundPort: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Int?, Never>])
        case known(Int?)
    }

    private let state = Mutex(State.waiting([]))

    func bound(to port: Int?) {
        let waiting = state.withLock { state -> [CheckedContinuation<Int?, Never>] in
            guard case .waiting(let continuations) = state else { return [] }
            state = .known(port)
            return continuations
        }
        for continuation in waiting { continuation.resume(returning: port) }
    }

    var value: Int? {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Int?? in
                    switch state {
                    case .known(let port): return .some(port)
                    case .waiting(let continuations):
                        state = .waiting(continuations + [continuation])
                        return nil
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}
