import Foundation
import Synchronization

/// A progress bar on the terminal that every step redraws. It disappears at the end, and is silent if the standard error is not a
/// terminal.
final class ProgressBar: Sendable {
    private struct State {
        var done = 0
        var failed = 0
        var total: Int
    }

    private static let width = 30
    private let state: Mutex<State>
    private let text: String
    private let isShown = Terminal.standardError.isInteractive

    init(_ text: String, total: Int) {
        self.text = text
        state = Mutex(State(total: total))
        draw()
    }

    /// Adds finished items, and the number of failed items among them.
    func advance(_ done: Int, failed: Int) {
        state.withLock { state in
            state.done += done
            state.failed += failed
            // The total may grow during the work.
            state.total = max(state.total, state.done)
        }
        draw()
    }

    /// Erases the bar. The next step draws it again.
    func end() {
        if isShown { try? Terminal.standardError.writeUnended("\r\u{1B}[K") }
    }

    private func draw() {
        guard isShown else { return }
        try? Terminal.standardError.writeUnended("\r\u{1B}[K\(line)")
    }

    /// The text of the bar, for example `Collecting [######........] 12 of 30, 1 failed`.
    private var line: String {
        let state = state.withLock { $0 }
        let filled = state.total == 0 ? Self.width : Self.width * state.done / state.total
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        return "\(text) [\(bar)] \(state.done) of \(state.total)" + (state.failed == 0 ? "" : ", \(state.failed) failed")
    }
}
