import Foundation
import Synchronization

/// How far long work has come: a line on the terminal that is drawn anew with each step, and gone at the end. Nothing where the standard
/// error is no terminal.
final class ProgressBar: Sendable {
    private struct State {
        var done = 0
        var failed = 0
        var total: Int
    }

    private static let width = 30
    private let state: Mutex<State>
    private let text: String
    private let isShown = Terminal.standardError.isForPeople

    init(_ text: String, total: Int) {
        self.text = text
        state = Mutex(State(total: total))
        draw()
    }

    /// Some more are done, of whom some failed.
    func advance(_ done: Int, failed: Int) {
        state.withLock { state in
            state.done += done
            state.failed += failed
            // More may come while the work goes on.
            state.total = max(state.total, state.done)
        }
        draw()
    }

    /// Takes the line away; the next step draws it again.
    func end() {
        if isShown { try? Terminal.standardError.writeUnended("\r\u{1B}[K") }
    }

    private func draw() {
        guard isShown else { return }
        try? Terminal.standardError.writeUnended("\r\u{1B}[K\(line)")
    }

    /// As in `Collecting [######........] 12 of 30, 1 failed`.
    private var line: String {
        let state = state.withLock { $0 }
        let filled = state.total == 0 ? Self.width : Self.width * state.done / state.total
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        return "\(text) [\(bar)] \(state.done) of \(state.total)" + (state.failed == 0 ? "" : ", \(state.failed) failed")
    }
}
