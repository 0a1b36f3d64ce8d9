import Foundation
import Synchronization

/// A sign of life for a person who waits longer than a moment: a line on the terminal that is gone when the waiting is over. Nothing
/// where the standard error is no terminal.
final class Progress: Sendable {
    private enum Stage {
        case silent, shown, ended
    }

    private static let frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
    private let stage = Mutex(Stage.silent)
    private let text: String

    init(_ text: String) {
        self.text = text
        guard Terminal.standardError.isForPeople else { return }
        Task { [weak self] in
            try? await Task.sleep(for: .seconds(1))
            var count = 0
            while let self, show(Self.frames[count % Self.frames.count]) {
                count += 1
                try? await Task.sleep(for: .milliseconds(120))
            }
        }
    }

    /// Whether there is still something to wait for.
    private func show(_ frame: String) -> Bool {
        stage.withLock { stage in
            guard stage != .ended else { return false }
            stage = .shown
            try? Terminal.standardError.writeUnended("\r\(frame) \(text)")
            return true
        }
    }

    func end() {
        stage.withLock { stage in
            // Back to the line's beginning, and the line erased.
            if stage == .shown { try? Terminal.standardError.writeUnended("\r\u{1B}[K") }
            stage = .ended
        }
    }
}
