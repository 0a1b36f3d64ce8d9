import CLibPQ

/// Statements that went to the server together, up to one Sync, and the results received so far.
@EventLoop
final class Batch {
    /// The parts that the server answers one after the other.
    enum Step {
        case deallocate(name: String)
        case prepare(PreparedStatements.Key, name: String)
        case query(PreparedStatements.Key)
    }

    let sentAt = ContinuousClock.now
    private(set) var steps: [Step] = []
    private var position = 0
    private(set) var results: [Rows] = []
    /// The first error. The statements after it were skipped.
    private(set) var error: DatabaseError?
    /// Whether `error` only means that a prepared statement must be prepared again.
    private(set) var isStale = false
    /// The names whose DEALLOCATE was not executed.
    private(set) var deallocating: [String] = []
    var isCancelled = false
    private let end = Promise<Void>()
    private(set) var isOver = false

    func append(_ step: Step) {
        steps.append(step)
        if case .deallocate(let name) = step { deallocating.append(name) }
    }

    func deallocated(_ name: String) {
        deallocating.removeAll { $0 == name }
    }

    /// The step of the next answer.
    var current: Step? { position < steps.count ? steps[position] : nil }

    func advance() {
        position += 1
    }

    func receive(_ rows: Rows) {
        results.append(rows)
    }

    func fail(_ error: DatabaseError, isStale: Bool = false) {
        guard self.error == nil else { return }
        (self.error, self.isStale) = (error, isStale)
    }

    func finish() {
        isOver = true
        end.fulfill()
    }

    func wait() async {
        await end.wait()
    }
}
