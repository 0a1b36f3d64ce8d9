import Foundation
import Web

/// The requested time range `[from, to)`, at most 366 days. Default: the current UTC month.
struct Window: Equatable {
    let from, to: Date

    init(_ query: Query, at now: Date) throws {
        let month = Month(now)
        from = try query.time("from") ?? month.start
        to = try query.time("to") ?? (query.text("from") == nil ? month.end : max(now, from.addingTimeInterval(1)))
        try check(longest: 366)
    }

    /// Reads a range that starts and ends at boundaries of the grain.
    init(_ query: Query, by grain: Grain, at now: Date) throws {
        let around = grain.isAggregated ? (Month(now).start, Month(now).end) : (Day(now).start, (Day(now) + 1).start)
        from = try query.time("from") ?? around.0
        to = try query.time("to") ?? (query.text("from") == nil ? around.1 : grain.next(after: max(now, from)))
        for (name, time) in [("from", from), ("to", to)] where !grain.begins(at: time) {
            throw Problem.invalid(.init(name, "With `window=\(grain.rawValue)` it must be the start of a UTC \(grain.rawValue)."))
        }
        try check(longest: grain.mostDays)
    }

    private func check(longest days: Int) throws {
        guard from < to else { throw Problem.invalid(.init("to", "It must be later than `from`.")) }
        guard to.timeIntervalSince(from) <= TimeInterval(days) * 86400 else {
            throw Problem.invalid(.init("to", "The range must be at most \(days == 1 ? "1 day" : "\(days) days")."))
        }
    }

    /// The month or the day, if the range is exactly one.
    var unit: Grain? {
        for grain in [Grain.day, .month] where grain.begins(at: from) && grain.next(after: from) == to { return grain }
        return nil
    }

    /// The days that are entirely in the range.
    var wholeDays: Range<Day> {
        let first = Day(from).start == from ? Day(from) : Day(from) + 1
        return first..<max(first, Day(to))
    }

    /// The days that are partly in the range.
    var partialDays: [Day] {
        Set([Day(from), Day(to)]).filter { $0.start < to && from < ($0 + 1).start && !wholeDays.contains($0) }.sorted()
    }
}

/// The unit for counting.
enum Grain: String, CaseIterable {
    case minute, hour, day, month

    /// Whether sums of it are stored. For other grains, the events themselves are counted.
    var isAggregated: Bool { self == .day || self == .month }

    /// The maximum range of a request, in days.
    var mostDays: Int {
        switch self {
        case .minute: 1
        case .hour: 7
        case .day, .month: 366
        }
    }

    func begins(at time: Date) -> Bool {
        beginning(of: time) == time
    }

    func next(after time: Date) -> Date {
        switch self {
        case .minute: beginning(of: time).addingTimeInterval(60)
        case .hour: beginning(of: time).addingTimeInterval(3600)
        case .day: (Day(time) + 1).start
        case .month: Month(time).end
        }
    }

    private func beginning(of time: Date) -> Date {
        func floor(to seconds: TimeInterval) -> Date {
            Date(timeIntervalSince1970: (time.timeIntervalSince1970 / seconds).rounded(.down) * seconds)
        }
        return switch self {
        case .minute: floor(to: 60)
        case .hour: floor(to: 3600)
        case .day: Day(time).start
        case .month: Month(time).start
        }
    }
}
