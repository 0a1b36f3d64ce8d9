import Synchronization

/// A number that tasks count together.
final class Tally: Sendable {
    private let state = Atomic(0)

    var count: Int { state.load(ordering: .relaxed) }

    /// - Returns: the new number.
    @discardableResult
    func add() -> Int {
        state.add(1, ordering: .relaxed).newValue
    }
}
