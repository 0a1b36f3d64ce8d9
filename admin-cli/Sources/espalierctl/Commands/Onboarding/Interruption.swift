import Dispatch
import Foundation
import Synchronization

/// Handles Ctrl-C: prints how to continue, and ends the process.
final class Interruption: Sendable {
    private let hint: Mutex<String>
    nonisolated(unsafe) private let source: any DispatchSourceSignal

    init(hint text: String) {
        hint = Mutex(text)
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [weak self] in
            Terminal.standardError.report("\n\(self?.hint.withLock { $0 } ?? "")".trailingSpaceless)
            // The exit status of a process that ended by this signal.
            Foundation.exit(128 + SIGINT)
        }
        source.resume()
    }

    func changeHint(to text: String) {
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
