import Foundation

/// A line of bars for numbers over time, for a terminal.
struct Sparkline {
    private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    /// The numbers, one per bar.
    let values: [Int]
    /// The number of windows per bar.
    let windowsPerBar: Int

    /// - Parameters:
    ///   - values: one number per window, from the oldest to the newest.
    ///   - width: the largest number of bars. With more windows, a bar is the sum of several.
    init(_ values: [Int], width: Int) {
        let size = max(1, (values.count + max(1, width) - 1) / max(1, width))
        windowsPerBar = size
        self.values = stride(from: 0, to: values.count, by: size).map { start in
            values[start..<min(start + size, values.count)].reduce(0) { $0.addingReportingOverflow($1).partialValue }
        }
    }

    /// The bars. The lowest one means zero, and each other number has a higher one.
    var text: String {
        let most = max(1, values.max() ?? 1)
        return String(
            values.map { value in
                guard value > 0 else { return Self.bars[0] }
                return Self.bars[1 + min(6, Int(Double(value) / Double(most) * 7))]
            })
    }

    /// The starts of all windows of a range, as the API writes them. Nil if the times are invalid, or if there are too many windows.
    static func starts(from: String, to: String, every window: UsageWindow) -> [String]? {
        guard let first = try? Date(from, strategy: .iso8601), let end = try? Date(to, strategy: .iso8601) else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let unit: Calendar.Component =
            switch window {
            case .minute: .minute
            case .hour: .hour
            case .day: .day
            case .month: .month
            }
        var starts: [String] = []
        while starts.count < 3000, let start = calendar.date(byAdding: unit, value: starts.count, to: first), start < end {
            starts.append(start.formatted(.iso8601))
        }
        return starts.count < 3000 ? starts : nil
    }
}
