package import Foundation
package import Postgres

/// A UTC day: the unit for aggregating usage and for prices. It is UTC regardless of the tenant's time zone.
package struct Day: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01.
    package let number: Int

    package init(number: Int) {
        self.number = number
    }

    /// The day of a moment. The moment is rounded to PostgreSQL's whole microseconds first, so that the last microsecond of a day is on the
    /// same day here and in the database.
    package init(_ moment: Date) {
        let microseconds = Int64((moment.timeIntervalSince1970 * 1_000_000).rounded())
        number = Int((Double(microseconds) / 86_400_000_000).rounded(.down))
    }

    /// The start of the day.
    package var start: Date { Date(timeIntervalSince1970: TimeInterval(number) * 86400) }

    package var month: Month {
        let parts = Calendar.utc.dateComponents([.year, .month], from: start)
        return Month(year: parts.year!, month: parts.month!)
    }

    /// The day of the month, starting with 1.
    package var dayOfMonth: Int { number - month.firstDay.number + 1 }

    package static func < (a: Day, b: Day) -> Bool { a.number < b.number }

    package static func + (day: Day, days: Int) -> Day { Day(number: day.number + days) }
}

extension Day: LosslessStringConvertible, Codable {
    /// `2026-11-21`.
    package var description: String {
        let day = String(dayOfMonth)
        return "\(month)-\(day.count < 2 ? "0" : "")\(day)"
    }

    /// Nil for every text except a real day in the form of `description`.
    package init?(_ text: String) {
        guard text.utf8.count == 10, let month = Month(String(text.prefix(7))), text.dropFirst(7).first == "-",
            text.utf8.suffix(2).allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let day = Int(text.suffix(2)),
            (1...month.days).contains(day)
        else { return nil }
        self = month.firstDay + (day - 1)
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let day = Day(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a day"))
        }
        self = day
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Maps to `date`, which PostgreSQL counts in days from 2000-01-01.
extension Day: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .date }

    /// The PostgreSQL epoch in days from 1970-01-01.
    package static let postgresEpoch = 10957

    package func encode(into bytes: inout [UInt8]) {
        Int32(clamping: number - Self.postgresEpoch).encode(into: &bytes)
    }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        guard cell.isOf(.date) else { throw SQLMismatch() }
        let days = try cell.load(Int32.self)
        // The infinities are not days.
        guard days != .max, days != .min else { throw SQLMismatch() }
        self.init(number: Int(days) + Self.postgresEpoch)
    }
}

extension Calendar {
    static let utc: Calendar = {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        return calendar
    }()
}

extension Day {
    /// The time format of FOCUS and of headers: `2026-11-01T00:00:00Z`, with a fraction if there is one.
    package static func moment(_ date: Date) -> String {
        let day = Day(date)
        let micros = Int((date.timeIntervalSince(day.start) * 1_000_000).rounded())
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let seconds = micros / 1_000_000
        let fraction = micros % 1_000_000 == 0 ? "" : "." + String(1_000_000 + micros % 1_000_000).dropFirst()
        return "\(day)T\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))\(fraction)Z"
    }
}
