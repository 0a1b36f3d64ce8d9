import Foundation

/// A time in relation to the present, for people at a terminal.
struct RelativeTime {
    /// The width of a column of relative times. It does not depend on the clock, so a list always has the same columns.
    static let width = 10

    /// For example `45 s ago`, `3 d ago` or `in 2 mo`. It has at most 10 characters.
    let text: String

    /// Reads a time in the format of RFC 3339 with `Z`. Nil for any other text.
    init?(_ time: String, now: Date) {
        guard time.wholeASCIIMatch(of: #/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z/#) != nil,
            let date = try? Date("\(time.prefix(19))Z", strategy: .iso8601)
        else { return nil }
        let seconds = Int(now.timeIntervalSince(date).rounded(.down))
        let distance = Self.distance(abs(seconds))
        text = seconds < 0 ? "in \(distance)" : "\(distance) ago"
    }

    private static func distance(_ seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3600) h"
        case ..<(60 * 86_400): "\(seconds / 86_400) d"
        // 12 months of 30.4 days are shorter than a year, so the last month ends with the year.
        case ..<(365 * 86_400): "\(min(11, seconds / 2_629_746)) mo"
        default: "\(min(999, seconds / 31_556_952 == 0 ? 1 : seconds / 31_556_952)) y"
        }
    }
}
