import Encoding
import Foundation
package import Logging

/// Writes logs as JSON lines to standard error, one object per line.
///
/// No secret is ever passed to a logger, so nothing is filtered here. A line below `warning` can be 10 ms late.
package struct JSONLog: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]

    private let output: LogOutput

    package init(level: Logger.Level, to output: LogOutput = .standardError) {
        (logLevel, self.output) = (level, output)
    }

    /// Ignores Hummingbird's number of the request, because the lines have our own ID. Hummingbird sets the number in a copy of the logger for
    /// each request.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { if !key.isSame(as: "hb.request.id") { metadata[key] = newValue } }
    }

    package func log(event: LogEvent) {
        var line = JSONWriter.object { line in
            line.member("time", RFC3339.text(Date(), milliseconds: true))
            line.member("level", event.level.rawValue)
            line.member("message", event.message.description)
            for (key, value) in metadata { line.member(named: key, value.description) }
            for (key, value) in event.metadata ?? [:] { line.member(named: key, value.description) }
        }
        line.append(UInt8(ascii: "\n"))
        output.append(line, isUrgent: event.level >= .warning)
    }
}
