package import Foundation

/// Times as RFC 3339, section 5.6, writes them: Foundation's parser stops where it is content and lets February have 30 days.
package enum RFC3339 {
    /// Nil for anything but a whole and real time.
    package static func date(_ text: String) -> Date? {
        let form = /(\d{4}-\d\d-\d\d)[Tt]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,9})?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)/
        guard let parts = text.wholeASCIIMatch(of: form) else { return nil }
        let day = Date.ISO8601FormatStyle().year().month().day()
        guard let midnight = try? day.parse(String(parts.1)), day.format(midnight) == parts.1,
            let time = try? Date.ISO8601FormatStyle().parse("\(parts.1)T\(parts.2)\(parts.4.uppercased())")
        else { return nil }
        return time.addingTimeInterval(parts.3.flatMap { Double("0\($0)") } ?? 0)
    }
}
