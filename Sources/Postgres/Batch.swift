import CLibPQ

/// Statements that went to the server together, up to one Sync, and the results received so far.
@EventLoop
final class Batch {
    /// The parts that the server answers one after the other.
    enum Step {
        /// A BEGIN, which is not prepared.
        case begin
        case deallocate(name: String)
        case prepare(PreparedStatements.Key, name: String)
        case query(PreparedStatements.Key)
    }

    let sentAt = ContinuousClock.now
    /// The number of statements at the start that the session added.
    private let opening: Int
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
    private(set) var isOver = false
    private var whenFinished: [@EventLoop () -> Void] = []

    init(opening: Int) {
        self.opening = opening
    }

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
        let actions = whenFinished
        whenFinished = []
        for action in actions { action() }
    }

    /// Calls `action` when all answers have arrived or cannot arrive: at once, or later on the loop.
    func whenOver(_ action: @escaping @EventLoop () -> Void) {
        guard !isOver else { return action() }
        whenFinished.append(action)
    }

    func wait() async {
        let isOver = Promise<Void>()
        whenOver { isOver.fulfill() }
        await isOver.wait()
    }

    /// The results without those of the statements that the session added, and of the prelude.
    /// - Throws: `DatabaseError`; `CancellationError` if the cancellation took effect.
    func outcome(prelude: Int = 0) throws -> [Rows] {
        if let error {
            if isCancelled, error.sqlState == "57014" || error.kind == .connection { throw CancellationError() }
            throw error
        }
        return opening + prelude == 0 ? results : Array(results.dropFirst(opening + prelude))
    }
}
