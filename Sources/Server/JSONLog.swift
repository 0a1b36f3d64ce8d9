import Encoding
import Foundation
package import Logging

/// Writes logs as JSON lines to standard error, one object per line.
///
/// No secret is ever passed to a logger, so nothing is filtered here.
package struct JSONLog: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]

    package init(level: Logger.Level) {
        logLevel = level
    }

    /// Ignores Hummingbird's number of the request, because the lines have our own ID. Hummingbird sets the number in a copy of the logger for
    /// each request.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { if !key.isSame(as: "hb.request.id") { metadata[key] = newValue } }
    }

    package func log(event: LogEvent) {
        var line = "{\"time\":\""
        line.reserveCapacity(400)
        line.append(timestamp: Date())
        line += "\",\"level\":\"\(event.level.rawValue)\",\"message\":"
        line.append(json: event.message.description)
        for (key, value) in metadata { line.append(key, value) }
        for (key, value) in event.metadata ?? [:] { line.append(key, value) }
        line += "}\n"
        // One write per line, so that lines of several threads do not mix.
        line.withUTF8 { bytes in _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
}

extension String {
    fileprivate mutating func append(_ key: String, _ value: Logger.Metadata.Value) {
        append(",")
        append(json: key)
        append(":")
        append(json: value.description)
    }

    /// RFC 3339 in UTC, to the millisecond. Written by hand, because Foundation's formatting costs more than the rest of
    /// the line.
    mutating func append(timestamp date: Date) {
        let milliseconds = Int(date.timeIntervalSince1970 * 1000)
        let (days, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000)
        // Converts days since 1970-01-01 to a Gregorian date in years that begin in March.
        let shifted = days + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        append(digits: era * 400 + yearOfEra + (month < 10 ? 0 : 1), 4)
        append("-")
        append(digits: month < 10 ? month + 3 : month - 9, 2)
        append("-")
        append(digits: dayOfYear - (153 * month + 2) / 5 + 1, 2)
        append("T")
        append(digits: rest / 3_600_000, 2)
        append(":")
        append(digits: rest / 60_000 % 60, 2)
        append(":")
        append(digits: rest / 1000 % 60, 2)
        append(".")
        append(digits: rest % 1000, 3)
        append("Z")
    }

    private mutating func append(digits value: Int, _ count: Int) {
        let text = String(value)
        for _ in text.utf8.count..<max(count, text.utf8.count) { append("0") }
        append(text)
    }

    fileprivate mutating func append(json text: String) {
        append("\"")
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            append(text)
        } else {
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": append("\\\"")
                case "\\": append("\\\\")
                case _ where scalar.value < 0x20:
                    append("\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16))
                default: unicodeScalars.append(scalar)
                }
            }
        }
        append("\"")
    }
}
