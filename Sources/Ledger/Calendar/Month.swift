package import Foundation
package import Postgres

/// A UTC month: the billing period.
package struct Month: Hashable, Comparable, Sendable {
    /// Months since the year 0.
    private let number: Int

    private init(number: Int) {
        self.number = number
    }

    /// - Parameter month: 1 to 12.
    package init(year: Int, month: Int) {
        self.init(number: year * 12 + month - 1)
    }

    /// The month of a moment.
    package init(_ moment: Date) {
        self = Day(moment).month
    }

    package var next: Month { Month(number: number + 1) }
    package var previous: Month { Month(number: number - 1) }

    package var firstDay: Day {
        let date = Calendar.utc.date(from: DateComponents(year: number / 12, month: number % 12 + 1, day: 1))!
        return Day(date)
    }
    package var lastDay: Day { next.firstDay + -1 }
    /// The number of its days.
    package var days: Int { next.firstDay.number - firstDay.number }
    /// The start of the month, and its end (exclusive).
    package var start: Date { firstDay.start }
    package var end: Date { next.start }

    package static func < (a: Month, b: Month) -> Bool { a.number < b.number }
}

extension Month: LosslessStringConvertible, Codable {
    /// `2026-11`.
    package var description: String {
        let (year, month) = (String(number / 12), String(number % 12 + 1))
        return String(repeating: "0", count: max(0, 4 - year.count)) + year + "-" + (month.count < 2 ? "0" : "") + month
    }

    /// Nil for every text except the form of `description`, from 2000 to 9999.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 7, bytes[4] == UInt8(ascii: "-"),
            (bytes[..<4] + bytes[5...]).allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let year = Int(text.prefix(4)), let month = Int(text.suffix(2)), year >= 2000, (1...12).contains(month)
        else { return nil }
        self.init(year: year, month: month)
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let month = Month(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a month"))
        }
        self = month
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Maps to a `date`: the first day of the month.
extension Month: SQLValue, SQLArrayElement {
    package static var sqlType: SQLType { .date }

    package func encode(into bytes: inout [UInt8]) {
        firstDay.encode(into: &bytes)
    }

    package init(decoding cell: SQLCell) throws(SQLMismatch) {
        let day = try Day(decoding: cell)
        guard day == day.month.firstDay else { throw SQLMismatch() }
        self = day.month
    }
}
