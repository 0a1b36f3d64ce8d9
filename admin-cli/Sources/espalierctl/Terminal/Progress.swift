import Foundation
import Synchronization

/// A spinner on the terminal that appears after 1 s and disappears at the end. It is silent if the standard error is not a terminal.
final class Progress: Sendable {
    private enum Stage {
        case silent, shown, ended
    }

    private static let frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
    private let stage = Mutex(Stage.silent)
    private let text: String

    init(_ text: String) {
        self.text = text
        guard Terminal.standardError.isInteractive else { return }
        Task { [weak self] in
            try? await Task.sleep(for: .seconds(1))
            var count = 0
            while let self, show(Self.frames[count % Self.frames.count]) {
                count += 1
                try? await Task.sleep(for: .milliseconds(120))
            }
        }
    }

    /// Draws one frame.
    /// - Returns: whether the work is still in progress.
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
            // Returns to the start of the line and erases it.
            if stage == .shown { try? Terminal.standardError.writeUnended("\r\u{1B}[K") }
            stage = .ended
        }
    }
}
