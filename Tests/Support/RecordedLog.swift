package import Logging
import Synchronization

/// Records all log messages of a server, at the lowest level.
package final class RecordedLog: Sendable {
    private let lines = Mutex<[String]>([])

    package init() {}

    package var text: String { lines.withLock { $0.joined(separator: "\n") } }

    /// Returns the lines since the last call.
    package func take() -> String {
        lines.withLock { lines in
            defer { lines = [] }
            return lines.joined(separator: "\n")
        }
    }

    package var logger: Logger {
        Logger(label: "recorded") { _ in Handler(log: self) }
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let facts = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
            let line = facts.reduce("\(event.message)") { "\($0) \($1.key)=\($1.value)" }
            log.lines.withLock { $0.append(line) }
        }
    }
}
