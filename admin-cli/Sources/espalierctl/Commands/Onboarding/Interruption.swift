import Dispatch
import Foundation
import Synchronization

/// Ctrl-C, answered with how to go on.
final class Interruption: Sendable {
    private let hint: Mutex<String>
    nonisolated(unsafe) private let source: any DispatchSourceSignal

    init(saying text: String) {
        hint = Mutex(text)
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [weak self] in
            Terminal.standardError.report("\n\(self?.hint.withLock { $0 } ?? "")".trailingSpaceless)
            // As the shell says of a process that the signal ended.
            Foundation.exit(128 + SIGINT)
        }
        source.resume()
    }

    func say(_ text: String) {
        hint.withLock { $0 = text }
    }

    func end() {
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }
}

extension String {
    fileprivate var trailingSpaceless: String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}
